/**
 * A file system of a limited size, in a file that is mounted as a loop device. It can lose its power: ext4 has a
 * request for its own tests that stops all writes to the device at once, without writing what is only in memory.
 */
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { MissingRequirement, type ProgramContext } from './program.ts';
import { requireCommands } from './requirements.ts';

export type FileSystem = {
  directory: string;
  /** Writes all unwritten data to the device. */
  sync(): Promise<void>;
  /** From now on nothing reaches the device. */
  cutPower(): Promise<void>;
  /** Mounts the file system again, with what had reached the device. No process may use a file in it. */
  remount(): Promise<void>;
};

const run = promisify(execFile);
/**
 * The kernel writes names and sizes of files that are not synchronized every five seconds. With a longer interval,
 * a missing fsync of a directory is found whenever the power is cut.
 */
const options = 'loop,commit=600';
/** EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH, from the kernel's fs/ext4/ext4.h. */
const shutdownScript =
  'sysopen(my $d, $ARGV[0], 0) or die $!; my $flags = pack("I", 2); ioctl($d, 0x8004587d, $flags) or die $!';
const unmountTimeoutMs = 15_000;

/**
 * Mounts a new file system, which is removed after the program.
 * @throws MissingRequirement if the machine cannot mount file systems
 */
export async function openFileSystem(
  { addCleanup }: Pick<ProgramContext, 'addCleanup'>,
  megabytes: number,
): Promise<FileSystem> {
  await requireCommands({ 'mkfs.ext4': 'e2fsprogs', mount: 'mount', perl: 'perl-base' });
  const home = await mkdtemp(path.join(os.tmpdir(), 'potluck-fs-'));
  const [image, directory] = [path.join(home, 'image'), path.join(home, 'mounted')];
  const mount = async () => {
    await run('mount', ['-o', options, image, directory]);
    await chmod(directory, 0o755);
  };
  addCleanup(async () => {
    await unmount(directory).catch(() => {});
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
  });
  // Users other than root must reach the database.
  await chmod(home, 0o755);
  await mkdir(directory);
  await writeFile(image, '');
  await truncate(image, megabytes * 1024 ** 2);
  await run('mkfs.ext4', ['-q', '-F', '-m', '0', image]);
  await mount().catch((error: Error) => {
    throw new MissingRequirement(
      `no file system can be mounted: the program needs root and loop devices (${error.message.trim()})`,
    );
  });
  return {
    directory,
    sync: async () => void (await run('sync', ['-f', directory])),
    cutPower: async () => void (await run('perl', ['-e', shutdownScript, directory])),
    async remount() {
      await unmount(directory);
      await mount();
    },
  };
}

/** Processes that were killed may still hold files for a moment. */
async function unmount(directory: string): Promise<void> {
  for (const since = performance.now(); ; await sleep(100)) {
    const error = await run('umount', [directory]).then(
      () => null,
      (reason: Error) => reason,
    );
    if (!error) return;
    if (performance.now() - since > unmountTimeoutMs) throw error;
  }
}
