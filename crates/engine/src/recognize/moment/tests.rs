//! What is read as a time, a date, a moment or a length, and what is not.
