<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>AddedView</name>
    <message numerus="yes">
        <source>%n new models appeared in your folders: %1.</source>
        <translation>
            <numerusform>%n new model appeared in your folders: %1.</numerusform>
            <numerusform>%n new models appeared in your folders: %1.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n models were added: %1.</source>
        <translation>
            <numerusform>%n model was added: %1.</numerusform>
            <numerusform>%n models were added: %1.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n things were left out.</source>
        <translation>
            <numerusform>%n thing was left out.</numerusform>
            <numerusform>%n things were left out.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>BenchmarkView</name>
    <message numerus="yes">
        <source>%1, suite %2, %n steps, %3.</source>
        <translation>
            <numerusform>%1, suite %2, %n step, %3.</numerusform>
            <numerusform>%1, suite %2, %n steps, %3.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CachesView</name>
    <message numerus="yes">
        <source>%n files, %1 on disk.</source>
        <translation>
            <numerusform>%n file, %1 on disk.</numerusform>
            <numerusform>%n files, %1 on disk.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more</source>
        <translation>
            <numerusform>%n more</numerusform>
            <numerusform>%n more</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n files were deleted.</source>
        <translation>
            <numerusform>%n file was deleted.</numerusform>
            <numerusform>%n files were deleted.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n files were taken in.</source>
        <translation>
            <numerusform>%n file was taken in.</numerusform>
            <numerusform>%n files were taken in.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>DownloadDialog</name>
    <message numerus="yes">
        <source>%1 in %n files; %2 are free here.</source>
        <translation>
            <numerusform>%1 in %n file; %2 are free here.</numerusform>
            <numerusform>%1 in %n files; %2 are free here.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 in %n files, and only %2 are free here. Make room first.</source>
        <translation>
            <numerusform>%1 in %n file, and only %2 are free here. Make room first.</numerusform>
            <numerusform>%1 in %n files, and only %2 are free here. Make room first.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>DownloadsView</name>
    <message numerus="yes">
        <source>%n downloads were not finished last time. What has arrived is kept.</source>
        <translation>
            <numerusform>%n download was not finished last time. What has arrived is kept.</numerusform>
            <numerusform>%n downloads were not finished last time. What has arrived is kept.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Drops</name>
    <message numerus="yes">
        <source>%n files were dropped.</source>
        <translation>
            <numerusform>%n file was dropped.</numerusform>
            <numerusform>%n files were dropped.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>EnginesView</name>
    <message numerus="yes">
        <source>%n engines, %1 on disk.</source>
        <translation>
            <numerusform>%n engine, %1 on disk.</numerusform>
            <numerusform>%n engines, %1 on disk.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n came with Firstlight.</source>
        <translation>
            <numerusform>%n came with Firstlight.</numerusform>
            <numerusform>%n came with Firstlight.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Delete %n engines?</source>
        <translation>
            <numerusform>Delete %n engine?</numerusform>
            <numerusform>Delete %n engines?</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>FirstRunPage</name>
    <message numerus="yes">
        <source>%n cores</source>
        <translation>
            <numerusform>%n core</numerusform>
            <numerusform>%n cores</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Gallery</name>
    <message numerus="yes">
        <source>%n pictures were added to the gallery.</source>
        <translation>
            <numerusform>%n picture was added to the gallery.</numerusform>
            <numerusform>%n pictures were added to the gallery.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>GalleryBar</name>
    <message numerus="yes">
        <source>%n pictures</source>
        <translation>
            <numerusform>%n picture</numerusform>
            <numerusform>%n pictures</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>GalleryPage</name>
    <message numerus="yes">
        <source>Move %n pictures to the bin?</source>
        <translation>
            <numerusform>Move %n picture to the bin?</numerusform>
            <numerusform>Move %n pictures to the bin?</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>GeneratePage</name>
    <message numerus="yes">
        <source>Show the queue: %n waiting</source>
        <translation>
            <numerusform>Show the queue: %n waiting</numerusform>
            <numerusform>Show the queue: %n waiting</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>MachineView</name>
    <message numerus="yes">
        <source>%1, %n cores</source>
        <translation>
            <numerusform>%1, %n core</numerusform>
            <numerusform>%1, %n cores</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ModelDetails</name>
    <message numerus="yes">
        <source>%n files were compared with a known hash.</source>
        <translation>
            <numerusform>%n file was compared with a known hash.</numerusform>
            <numerusform>%n files were compared with a known hash.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Checked: %n files are damaged or missing.</source>
        <translation>
            <numerusform>Checked: %n file is damaged or missing.</numerusform>
            <numerusform>Checked: %n files are damaged or missing.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>NoticesView</name>
    <message numerus="yes">
        <source>%n more; close all</source>
        <translation>
            <numerusform>%n more; close all</numerusform>
            <numerusform>%n more; close all</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>QueueView</name>
    <message numerus="yes">
        <source>%n waiting</source>
        <translation>
            <numerusform>%n waiting</numerusform>
            <numerusform>%n waiting</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>TimingsView</name>
    <message numerus="yes">
        <source>Last picture, %n steps: a typical step took %1, the first %2, the slowest %3.</source>
        <translation>
            <numerusform>Last picture, %n step: a typical step took %1, the first %2, the slowest %3.</numerusform>
            <numerusform>Last picture, %n steps: a typical step took %1, the first %2, the slowest %3.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Last picture: %1 (%2 × %3, %4 steps, %5). Typical of %n alike: %6.</source>
        <translation>
            <numerusform>Last picture: %1 (%2 × %3, %4 steps, %5). Typical of %n alike: %6.</numerusform>
            <numerusform>Last picture: %1 (%2 × %3, %4 steps, %5). Typical of %n alike: %6.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>_Card</name>
    <message numerus="yes">
        <source>Happened %n times</source>
        <translation>
            <numerusform>Happened %n time</numerusform>
            <numerusform>Happened %n times</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>_Counted</name>
    <message numerus="yes">
        <source>about %n seconds left</source>
        <translation>
            <numerusform>about %n second left</numerusform>
            <numerusform>about %n seconds left</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>about %n minutes left</source>
        <translation>
            <numerusform>about %n minute left</numerusform>
            <numerusform>about %n minutes left</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>about %n hours left</source>
        <translation>
            <numerusform>about %n hour left</numerusform>
            <numerusform>about %n hours left</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n minutes ago</source>
        <translation>
            <numerusform>%n minute ago</numerusform>
            <numerusform>%n minutes ago</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n hours ago</source>
        <translation>
            <numerusform>%n hour ago</numerusform>
            <numerusform>%n hours ago</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n days ago</source>
        <translation>
            <numerusform>%n day ago</numerusform>
            <numerusform>%n days ago</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n jobs from last time are still in the queue. It is paused.</source>
        <translation>
            <numerusform>%n job from last time is still in the queue. It is paused.</numerusform>
            <numerusform>%n jobs from last time are still in the queue. It is paused.</numerusform>
        </translation>
    </message>
</context>
</TS>
