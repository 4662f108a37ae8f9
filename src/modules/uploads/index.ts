import { defineModule } from '../../http/define-module.ts';
import { createUpload } from './create-upload.ts';
import { uploadDeletionHooks } from './delete-account-data.ts';
import { deleteUpload } from './delete-upload.ts';
import { uploadExportSections } from './export-sections.ts';
import { getUpload } from './get-upload.ts';
import { acceptImages } from './image-body.ts';
import type { UploadServices } from './services.ts';
import { sweepFiles } from './sweep.ts';

/** Uploaded images. */
export const uploads = defineModule<UploadServices>({
  tag: 'Images',
  endpoints: { getUpload, deleteUpload },
  jobs: [
    {
      name: 'delete files without an upload',
      everyMs: 60_000,
      run: ({ db, storage, clock }) => sweepFiles(db, storage, clock()),
    },
  ],
  deletionHooks: uploadDeletionHooks,
  exportSections: uploadExportSections,
});

/** Receives images. It is a module of its own because its Fastify scope has no parser for JSON bodies. */
export const imageReception = defineModule<UploadServices>({
  tag: 'Images',
  endpoints: { createUpload },
  setup: acceptImages,
});
