-- Mails with codes that unknown client networks requested, among all mails of the minute. Their part of MAIL_PER_HOUR is limited.
alter table mail_counts add column stranger_codes int not null default 0;
alter table mail_counts add constraint mail_counts_stranger_codes check (stranger_codes >= 0);
