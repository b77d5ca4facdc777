"""Point it at a log, and it tells you what is out of the ordinary, and why."""
