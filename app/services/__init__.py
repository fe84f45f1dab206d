"""What the window works with: QtCore only, no widgets. View models stand on these, these stand on the pipelines."""
