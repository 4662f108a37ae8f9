import { runFiles } from '../run-files.ts';

await runFiles('uploads', 'upload-*', 'hostile-uploads');
