/** All cases of test/live-connections/, of which `npm test` checks a sample. */
process.env.ALL_CASES = 'true';
await import('../live-connections/suite.ts');
