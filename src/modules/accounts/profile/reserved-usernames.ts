/** Usernames that people cannot choose, because others would read them as the service or its staff. */
const reserved = new Set(
  (
    'admin administrator root superuser sysadmin support help helpdesk service moderator mod mods staff team official ' +
    'system security abuse postmaster webmaster hostmaster mailerdaemon info contact press legal privacy billing ' +
    'noreply donotreply potluck potluckteam potluckadmin potluckhelp potluckstaff potlucksupport potluckofficial ' +
    'api www mail bot server null undefined nil none nan true false unknown anonymous deleted me you self everyone ' +
    'everybody nobody here all'
  ).split(' '),
);

/** Whether the name without case, `_`, `.` and digits at its end is reserved: `Admin`, `a.d.m.i.n` and `admin_1` are. */
export const isReservedUsername = (username: string): boolean =>
  reserved.has(
    username
      .toLowerCase()
      .replace(/[._]/g, '')
      .replace(/(?<!\d)\d+$/, ''),
  );
