export { datesOfAnyRule } from './any-rule.ts';
export { datesOf, firstDateOf, lastDateOf, nearestDate, periodStart } from './dates.ts';
export { formatRule } from './format.ts';
export { parseRule } from './parse.ts';
export { type Clock, type Rule, RuleError, type Weekday } from './rule.ts';
export { describeRule } from './words/describe-rule.ts';
