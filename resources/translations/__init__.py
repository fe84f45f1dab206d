"""The words of the window: Qt Linguist's .ts files, the .qm files made of them, and what keeps them up to date."""
