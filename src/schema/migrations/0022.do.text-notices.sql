-- Mails of the queue to phone numbers are sent as text messages, by a count of their own: many mails before them do not delay them.
create index mails_as_texts on mails (turn, due_at) where state = 'queued' and address like '+%';
