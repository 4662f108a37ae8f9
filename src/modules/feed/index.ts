import { defineModule } from '../../http/define-module.ts';
import { getFeed } from './get-feed.ts';
import type { FeedServices } from './services.ts';

/** The feed: events of the people whom the caller follows. */
export const feed = defineModule<FeedServices>({ tag: 'Events', endpoints: { getFeed } });
