"""What every room may use and none owns: errors, words for people, the memo, vectors and poses, versions."""
