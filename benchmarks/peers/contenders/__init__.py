"""How each contender is configured to answer alike, and how that is checked before it is timed."""
