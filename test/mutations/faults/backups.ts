/** Faults of backups, which people notice when they need one. */
import { type Fault, faultsOf } from '../fault.ts';

export const backupFaults: Fault[] = [
  ...faultsOf('src/cli/backup/restore-backup.ts', [
    ['await images?.flush();', '', 'upload-backups', 'the last images of a backup are not restored'],
  ]),
  ...faultsOf('src/cli/backup/read-archive.ts', [
    [
      'if (line === null || line === lines[i]) continue;',
      'continue;',
      'upload-backups',
      'a damaged image is restored',
    ],
    [
      'if (this.#isIntact) this.#compareManifest(manifest);',
      '',
      'upload-backups',
      'a backup that lacks images is restored',
    ],
  ]),
  ...faultsOf('src/cli/backup/tar.ts', [
    ['|| !headerOf(name, size, at).equals(header)', '', 'src/cli/backup/tar', 'a changed header is accepted'],
  ]),
  ...faultsOf('src/lib/backup-files.ts', [
    [
      'new Set(backups.slice(0, 1))',
      'new Set<BackupFile>()',
      'src/lib/backup-files',
      'the newest backup is removed',
    ],
  ]),
];
