-- A browser session has one token, in a cookie. Its hash is access_hash, and there is no refresh token.
alter table sessions alter column refresh_hash drop not null;
