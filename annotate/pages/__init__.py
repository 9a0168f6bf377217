"""What each page shows, as plain values for its template: nothing here decides or writes."""
