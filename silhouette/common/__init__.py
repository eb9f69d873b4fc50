"""What every room may use and none owns: versions, how this package is installed, how long something may take."""
