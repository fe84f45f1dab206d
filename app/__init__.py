"""The application: the command line now, the window later. Stands on `pipelines`, never the reverse."""
