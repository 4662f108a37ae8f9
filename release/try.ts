/**
 * `npm run release:try`: installs an archive on an empty Debian with systemd, by the commands of the chapter "A server of your
 * own", and uses it. Needs root, debootstrap, systemd-nspawn, and Debian's packages.
 */
import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { versionOfBuild } from './build-version.ts';
import { runProgram } from './run-program.ts';

const root = path.join(import.meta.dirname, '..');
/** With what the guide names for alerts. */
const packages = 'systemd,systemd-sysv,dbus,ca-certificates,curl,postgresql-client';

/** The commands of the chapter, one text for each block. */
async function readCommands(): Promise<string[]> {
  const page = await readFile(path.join(root, 'docs', 'operating.md'), 'utf8');
  const chapter = page.split('\n## A server of your own\n')[1]?.split('\n## ')[0] ?? '';
  return Array.from(chapter.matchAll(/```sh\n(.*?)```/gs), ([, commands = '']) => commands);
}

/** What a machine without a network has in place of a mailbox, and of a certificate that others know; and this archive. */
const withoutNetwork = (commands: string, archive: string): string =>
  commands
    .replaceAll(/potluck-[\d.]+-linux-x64/g, path.basename(archive, '.tar.gz'))
    .replace(/^MAIL_URL=.*\nMAIL_FROM=.*\n/m, 'MAIL_DRIVER=console\n')
    // The address of the first admin is printed when the server is open.
    .replace(
      'journalctl -u potluck -o cat | grep -o',
      "for second in $(seq 60); do journalctl -u potluck -o cat | grep -q 'setup?token=pf_' && break; sleep 1; done\n$&",
    )
    .replace(
      '/etc/caddy/Caddyfile\n',
      "/etc/caddy/Caddyfile\nsed -i 's/reverse_proxy/tls internal\\n&/' /etc/caddy/Caddyfile\n",
    );

/** Uses the installed server through Caddy. Each line fails the run if it fails. */
const checks = `
get() { curl -sS --fail --retry 40 --retry-delay 1 --retry-all-errors --resolve events.example.org:443:127.0.0.1 --cacert /var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt "$@"; }
test "$(get -o /dev/null -w '%{http_version} %{http_code}' https://events.example.org/)" = '2 200'
get https://events.example.org/readyz
journalctl -u potluck -o cat | grep 'https://events.example.org/setup?token=pf_'
get https://events.example.org/v1/features | grep '"signIn":\\["email"\\]'
for n in $(seq 60); do ls /var/backups/potluck/potluck-*.tar && break; sleep 1; done
journalctl --unit potluck --grep 'the backup of the day was made'
backup=$(ls -t /var/backups/potluck/potluck-*.tar | head -n 1)
cd /etc/potluck
runuser -u potluck -- /opt/potluck/bin/potluck backup --verify "$backup"
runuser -u potluck -- /opt/potluck/bin/potluck doctor | grep '✓ backups'
kill -9 "$(systemctl show -p MainPID --value potluck)"
sleep 3
get https://events.example.org/readyz
systemctl status potluck
PGPASSWORD=$(cat /var/lib/potluck/database-password) psql -h /var/lib/potluck/postgres-socket -U potluck -c 'select state from pg_stat_activity'
systemctl stop potluck
DATA_DIR=/var/cache/potluck/restored runuser -u potluck -- /opt/potluck/bin/potluck restore "$backup"
`;

/** Runs the scripts in order, says how long each took, and ends the machine. */
const runner = `
for script in /root/scripts/*; do
  from=$(date +%s%N)
  bash -eux "$script" > "$script.log" 2>&1
  status=$?
  echo "$(basename "$script") $status $((($(date +%s%N) - from) / 1000000))" >> /root/results
  [ $status = 0 ] && continue
  journalctl --no-pager --lines 60 >> "$script.log"
  break
done
systemctl poweroff --no-block
`;

const unit = `[Unit]
After=multi-user.target
[Service]
Type=oneshot
WorkingDirectory=/root
ExecStart=bash /root/run
`;

type Result = { script: string; status: number; ms: number };

async function tryArchive(archive: string, mirror: string): Promise<Result[]> {
  const machine = await mkdtemp(path.join(os.tmpdir(), 'potluck-debian-'));
  // Its users enter it, too.
  await chmod(machine, 0o755);
  try {
    await runProgram(
      'debootstrap',
      ['--variant=minbase', `--include=${packages}`, 'bookworm', machine, mirror],
      root,
    );
    const [install = '', ...commands] = await readCommands();
    const from = performance.now();
    await runProgram('chroot', [machine, 'sh', '-ec', install], root);
    const installed = { script: 'packages', status: 0, ms: performance.now() - from };
    await prepare(
      machine,
      archive,
      commands.map((each) => withoutNetwork(each, archive)),
    );
    await boot(machine);
    return [installed, ...(await readResults(machine, commands.length + 1))];
  } finally {
    await rm(machine, { recursive: true, force: true });
  }
}

async function prepare(machine: string, archive: string, commands: string[]): Promise<void> {
  const home = path.join(machine, 'root');
  for (const file of [archive, path.join(path.dirname(archive), 'SHA256SUMS')])
    await copyFile(file, path.join(home, path.basename(file)));
  await mkdir(path.join(home, 'scripts'));
  // The installer of Debian writes it, debootstrap does not.
  await writeFile(path.join(machine, 'etc', 'hosts'), '127.0.0.1 localhost\n');
  const scripts = [...commands, checks];
  for (const [n, script] of scripts.entries())
    await writeFile(path.join(home, 'scripts', `${n + 1}`), `cd /root\n${script}`);
  await writeFile(path.join(home, 'run'), runner);
  const units = path.join(machine, 'etc', 'systemd', 'system');
  await writeFile(path.join(units, 'try.service'), unit);
  await mkdir(path.join(units, 'multi-user.target.wants'), { recursive: true });
  await symlink('../try.service', path.join(units, 'multi-user.target.wants', 'try.service'));
}

/** Waits until the machine has ended. It has no network, so its ports are its own. */
const boot = (machine: string): Promise<void> =>
  new Promise((resolve) => {
    const options = ['--register=no', '--keep-unit', '--private-network', '--boot'];
    execFile('systemd-nspawn', ['-D', machine, ...options], { timeout: 300_000 }, () => resolve());
  });

async function readResults(machine: string, expected: number): Promise<Result[]> {
  const home = path.join(machine, 'root');
  const lines = (await readFile(path.join(home, 'results'), 'utf8')).trim().split('\n');
  const results = lines.map((line) => {
    const [script = '', status, ms] = line.split(' ');
    return { script, status: Number(status), ms: Number(ms) };
  });
  if (results.length === expected && results.every(({ status }) => status === 0)) return results;
  const logs = (await readdir(path.join(home, 'scripts'))).filter((name) => name.endsWith('.log')).sort();
  const last = await readFile(path.join(home, 'scripts', logs.at(-1) ?? ''), 'utf8');
  throw new Error(`${results.length} of ${expected} scripts ran. The last one:\n${last}`);
}

const { values } = parseArgs({
  options: {
    archive: {
      type: 'string',
      default: path.join(root, 'dist', `potluck-${await versionOfBuild()}-linux-x64.tar.gz`),
    },
    mirror: { type: 'string', default: 'http://deb.debian.org/debian' },
  },
});
for (const { script, ms } of await tryArchive(values.archive, values.mirror))
  console.log(`${script}: ${(ms / 1000).toFixed(1)} s`);
