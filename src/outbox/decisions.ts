/** Decisions about a person at an event, of which exactly that person is told, also if they may not see the event any more. */
import { newId } from '#base';
import { insertRows, type Statement } from '#pg';

/** What was decided. The names of the texts of the pages follow: `people_decision_…`. */
export const decided = ['approved', 'refused', 'removed', 'claimEnded', 'missed'] as const;

/** `reason`: the words of the person who decided. `title`: of the event, when it was decided. */
export type Decision = { what: (typeof decided)[number]; reason: string | null; title: string };

/**
 * The statement that stores the causes of notifications of the kind `decision`. No person causes them: so a block does not keep
 * them, and people are told of what their own requests became.
 */
export const insertDecisions = (decisions: ({ userId: string; eventId: string } & Decision)[]): Statement => {
  const rows = decisions.map(({ userId, eventId, ...decision }) => ({
    ...{ id: newId(), subjectId: newId(), userId, eventId },
    ...{ actorId: userId, kind: 'decision', amount: 1, decision: JSON.stringify(decision) },
  }));
  return insertRows('notification_causes', rows, {
    ...{ id: 'uuid', subjectId: 'uuid', userId: 'uuid', eventId: 'uuid', actorId: 'uuid' },
    ...{ kind: 'text', amount: 'int', decision: 'jsonb' },
  });
};
