/** All cases of test/backpressure/, of which `npm test` checks a sample. */
process.env.ALL_CASES = 'true';
await import('../backpressure/suite.ts');
