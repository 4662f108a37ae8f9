import { defineModule } from '../../http/define-module.ts';
import { blockUser, unblockUser } from './block-user.ts';
import { userDeletionHooks } from './delete-account-data.ts';
import { userExportSections } from './export-sections.ts';
import { followUser, unfollowUser } from './follow-user.ts';
import { getAvatar } from './get-avatar.ts';
import { getUser } from './get-user.ts';
import { listFollowers, listFollowing } from './list-followers.ts';
import { listMyBlocks } from './list-my-blocks.ts';
import { searchUsers } from './search-users.ts';
import type { UserServices } from './services.ts';

/** People: search, profiles, follows and blocks. */
export const users = defineModule<UserServices>({
  tag: 'People',
  endpoints: {
    searchUsers,
    getUser,
    getAvatar,
    followUser,
    unfollowUser,
    blockUser,
    unblockUser,
    listFollowers,
    listFollowing,
    listMyBlocks,
  },
  deletionHooks: userDeletionHooks,
  exportSections: userExportSections,
});
