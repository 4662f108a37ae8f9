-- Notifications of the kind `decision`: each has an id of its own as the subject, so none replaces another. `decision` has `what`,
-- `reason` and the `title` of the event at that time, because the person may not see the event any more.
alter table notification_causes add column event_id uuid;
alter table notification_causes add column decision jsonb;
alter table notifications add column event_id uuid;
alter table notifications add column decision jsonb;
create index notification_causes_of_event on notification_causes (event_id) where event_id is not null;
create index notifications_of_event on notifications (event_id) where event_id is not null;
