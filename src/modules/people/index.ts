import { defineModule } from '../../http/define-module.ts';
import { peopleDeletionHooks } from './delete-account-data.ts';
import { peopleExportSections } from './export-sections.ts';
import { getAvatar } from './get-avatar.ts';
import { getUser } from './get-user.ts';
import { blockUser, unblockUser } from './relations/block-user.ts';
import { followUser, unfollowUser } from './relations/follow-user.ts';
import { listFollowers, listFollowing } from './relations/list-followers.ts';
import { listMyBlocks } from './relations/list-my-blocks.ts';
import { searchUsers } from './search/search-users.ts';
import type { PeopleServices } from './services.ts';

/** What others see of a person: profiles, search, follows and blocks. */
export const people = defineModule<PeopleServices>({
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
  deletionHooks: peopleDeletionHooks,
  exportSections: peopleExportSections,
});
