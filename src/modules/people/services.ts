import type { BaseServices } from '../../http/services.ts';
import { createPeople, type People } from './people.ts';
import { createProfiles, type Profiles } from './profiles.ts';

export type PeopleServices = BaseServices & { people: People; profiles: Profiles };

export const createPeopleServices = ({ db, changeLog, replicas, config }: BaseServices) => ({
  people: createPeople(db, { changeLog, replicas }, config.cacheBytes),
  profiles: createProfiles(db, replicas),
});
