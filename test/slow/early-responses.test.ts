/** All cases of test/early-responses/, of which `npm test` checks a sample. */
process.env.ALL_CASES = 'true';
await import('../early-responses/suite.ts');
