import { defineModule } from '../../http/define-module.ts';
import type { EventServices } from '../events/services.ts';
import { deleteComment } from './delete-comment.ts';
import { commentExportSections } from './export-sections.ts';
import { listComments } from './list-comments.ts';
import { commentDeletionHooks, commentDepartureHook } from './people-leave.ts';
import { writeComment } from './write-comment.ts';

/** Comments of people on events, and replies to them. */
export const comments = defineModule<EventServices>({
  tag: 'Comments',
  endpoints: { listComments, writeComment, deleteComment },
  deletionHooks: commentDeletionHooks,
  departureHooks: [commentDepartureHook],
  exportSections: commentExportSections,
});
