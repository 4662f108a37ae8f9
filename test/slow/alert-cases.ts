/** For each alert of deploy/prometheus-rules.yaml, series with which it fires, and with which it does not. */

export type AlertCase = {
  alert: string;
  /** One value for each minute, as promtool writes them: `0+2x10` is 0, 2, 4 … 20. */
  fires: Record<string, string>;
  quiet: Record<string, string>;
  /** The minute at which both are looked at. Default: 20. */
  at?: number;
  labels: Record<string, string>;
  summary: string;
};

const page = { severity: 'page' };
const ticket = { severity: 'ticket' };
const instance = 'village:3000';
const requests = (status: string) => `potluck_request_seconds_count{route="/v1/events",status="${status}"}`;
const bucket = (le: string) => `potluck_request_seconds_bucket{route="/v1/events",le="${le}"}`;
const of = (name: string, labels = '') => `${name}{instance="${instance}",worker="1"${labels}}`;
const two = (name: string, one: string, other: string) => ({
  [of(name)]: one,
  [`${name}{instance="${instance}",worker="2"}`]: other,
});

export const alertCases: AlertCase[] = [
  {
    alert: 'PotluckDown',
    fires: { [`up{job="potluck",instance="${instance}"}`]: '1x10 0x20' },
    quiet: { [`up{job="potluck",instance="${instance}"}`]: '1x19 0x1' },
    labels: { ...page, job: 'potluck', instance },
    summary: `${instance} does not respond.`,
  },
  {
    alert: 'PotluckOutage',
    fires: {
      'potluck_outage{kind="database",worker="1"}': '0x30',
      'potluck_outage{kind="database",worker="2"}': '1x30',
    },
    quiet: { 'potluck_outage{kind="database"}': '0x30' },
    labels: { ...page, kind: 'database' },
    summary: 'Outage of database.',
  },
  {
    alert: 'PotluckUnavailable',
    fires: { [requests('200')]: '0+960x30', [requests('503')]: '0+40x30' },
    quiet: { [requests('200')]: '0+960x30', [requests('503')]: '0+9x30' },
    labels: page,
    summary: 'More than one of a hundred responses is a 503.',
  },
  {
    alert: 'PotluckErrors',
    fires: { [of('potluck_defects_total')]: '0x18 1x10' },
    quiet: { [of('potluck_defects_total')]: '1x30' },
    labels: ticket,
    summary: 'A request met a defect of Potluck.',
  },
  {
    alert: 'PotluckSlow',
    fires: { [bucket('0.5')]: '0+90x30', [bucket('1')]: '0+100x30', [bucket('+Inf')]: '0+100x30' },
    quiet: { [bucket('0.5')]: '0+100x30', [bucket('1')]: '0+100x30', [bucket('+Inf')]: '0+100x30' },
    labels: ticket,
    summary: 'One of a hundred responses takes 950ms or longer.',
  },
  {
    alert: 'PotluckRestarts',
    fires: two('process_start_time_seconds', '100x5 200x5 300x20', '100x8 200x30'),
    quiet: two('process_start_time_seconds', '100x5 200x30', '100x8 200x30'),
    labels: { ...ticket, instance },
    summary: `Processes of ${instance} started 3 times in an hour.`,
  },
  {
    alert: 'PotluckTextMessagesFail',
    fires: { 'potluck_text_messages_total{driver="http",outcome="refused"}': '0+1x30' },
    quiet: { 'potluck_text_messages_total{driver="http",outcome="sent"}': '0+1x30' },
    labels: { ...page, outcome: 'refused' },
    summary: 'Text messages fail: refused.',
  },
  {
    alert: 'PotluckMailsFail',
    fires: { 'potluck_mails_total{use="notice",outcome="refused"}': '0+1x30' },
    quiet: { 'potluck_mails_total{use="notice",outcome="sent"}': '0+1x30' },
    labels: { ...page, use: 'notice', outcome: 'refused' },
    summary: 'Mails fail (notice): refused.',
  },
  {
    alert: 'PotluckMailsLate',
    fires: { 'potluck_backlog_age_seconds{queue="mails"}': '7200x30' },
    quiet: { 'potluck_backlog_age_seconds{queue="mails"}': '3000x30' },
    labels: ticket,
    summary: 'A mail has waited for 2h 0m 0s.',
  },
  {
    alert: 'PotluckNotificationsLate',
    fires: { 'potluck_backlog_age_seconds{queue="push_deliveries"}': '90x30' },
    quiet: { 'potluck_backlog_age_seconds{queue="mails"}': '90x30' },
    labels: { ...ticket, queue: 'push_deliveries' },
    summary: 'A row of push_deliveries has waited for 1m 30s.',
  },
  {
    alert: 'PotluckJobFails',
    fires: { 'potluck_job_failures_total{name="deliver notifications"}': '0x120 0+1x30' },
    quiet: { 'potluck_job_failures_total{name="deliver notifications"}': '3x150' },
    at: 125,
    labels: { ...ticket, name: 'deliver notifications' },
    summary: 'The job "deliver notifications" failed 4 times.',
  },
  {
    alert: 'PotluckBackupOld',
    fires: { [of('potluck_backup_last_success_timestamp_seconds')]: '3600x1700' },
    quiet: { [of('potluck_backup_last_success_timestamp_seconds')]: '7200x1700' },
    at: 1_631,
    labels: page,
    summary: 'The newest backup is 1d 2h 11m 0s old.',
  },
  {
    alert: 'PotluckWaitsForConnections',
    fires: { [of('potluck_database_waiting', ',database="primary",pool="transactions"')]: '0x5 3x30' },
    quiet: { [of('potluck_database_waiting', ',database="primary",pool="transactions"')]: '3x17 0x1 3x30' },
    labels: { ...ticket, instance, worker: '1', database: 'primary', pool: 'transactions' },
    summary: `${instance} has waited for connections to primary for five minutes.`,
  },
  {
    alert: 'PotluckReplicaUnused',
    fires: { 'potluck_replica_usable{replica="db2:5432"}': '0x30' },
    quiet: { 'potluck_replica_usable{replica="db2:5432"}': '1x30' },
    labels: { ...ticket, replica: 'db2:5432' },
    summary: 'The replica db2:5432 is not in use.',
  },
  {
    alert: 'PotluckClock',
    fires: { [of('potluck_clock_offset_seconds')]: '-2x30' },
    quiet: { [of('potluck_clock_offset_seconds')]: '-0.9x30' },
    labels: { ...ticket, instance, worker: '1' },
    summary: `The clock of ${instance} differs from that of the database by 2 s.`,
  },
  {
    alert: 'PotluckEventLoop',
    fires: { [of('nodejs_eventloop_lag_p99_seconds')]: '0.2x30' },
    quiet: { [of('nodejs_eventloop_lag_p99_seconds')]: '0.05x30' },
    labels: { ...ticket, instance, worker: '1' },
    summary: `A process of ${instance} has more to do than one processor core can.`,
  },
  {
    alert: 'PotluckLiveStreams',
    fires: two('potluck_live_streams', '2100x30', '2100x30'),
    quiet: two('potluck_live_streams', '1900x30', '1900x30'),
    labels: { ...ticket, instance },
    summary: `${instance} has 4200 of at most 5,000 live streams.`,
  },
  {
    alert: 'PotluckDescriptors',
    fires: { [of('process_open_fds')]: '900x30', [of('process_max_fds')]: '1000x30' },
    quiet: { [of('process_open_fds')]: '700x30', [of('process_max_fds')]: '1000x30' },
    labels: { ...ticket, instance, worker: '1' },
    summary: `A process of ${instance} has 90% of the descriptors that it may open.`,
  },
];
