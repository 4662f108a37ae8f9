import { defineModule } from '../../../http/define-module.ts';
import type { AccountServices } from '../services.ts';
import { deleteMe } from './delete-me.ts';
import { userDeletionHooks } from './delete-user.ts';
import { requestDeleteCode } from './request-code.ts';
import { sweepDeletedAccounts } from './sweep.ts';

/** Deletion of an account, with what all modules store about the person. */
export const deletion = defineModule<AccountServices>({
  tag: 'Me',
  endpoints: { requestDeleteCode, deleteMe },
  jobs: [{ name: 'sweep deleted accounts', everyMs: 5_000, run: sweepDeletedAccounts }],
  deletionHooks: userDeletionHooks,
});
