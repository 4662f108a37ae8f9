import { type Static, Type } from 'typebox';
import { cursorPage } from '../../http/cursors.ts';
import { body, named, nullable, prose, ref, seenPattern, timestamp } from '../../http/schemas.ts';
import { Person } from '../people/schemas.ts';

const exampleId = '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1.0197a2f4-7d2f-7b45-8a62-3f1d9b7ef0c1';
const exampleText = 'Is there parking near the quay?';

export const CommentParams = Type.Object({
  id: Type.String({ description: 'The id of the comment.', examples: [exampleId] }),
});

export const NewComment = body(
  {
    text: prose(1_000, {
      minLength: 1,
      format: 'visible-text',
      pattern: seenPattern,
      description: 'Any number of lines. At least one character must be visible.',
      examples: [exampleText],
    }),
    replyTo: Type.Optional(
      nullable(Type.String({ maxLength: 100 }), {
        description: 'The id of a comment of the same event that the caller can read.',
      }),
    ),
  },
  { examples: [{ text: exampleText }] },
);

export const Comment = named(
  'Comment',
  Type.Object({
    id: Type.String({ examples: [exampleId] }),
    author: ref(Person),
    isOrganizer: Type.Boolean({ description: 'Whether the author organizes the event.', examples: [false] }),
    text: Type.String({ examples: [exampleText] }),
    replyTo: nullable(Type.String({ examples: [exampleId] }), {
      description:
        'The comment that it replies to; null for others, and if the caller cannot read that one any more.',
    }),
    createdAt: timestamp(),
  }),
);
export type Comment = Static<typeof Comment>;
export const CommentPage = cursorPage(Comment);
