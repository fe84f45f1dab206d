"""What the window shows, as observable values and actions. QtCore only; views bind to these and decide nothing."""
