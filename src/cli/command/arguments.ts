/** Parses the command line, and checks that the command accepts the given options and arguments. */
import { parseArgs } from 'node:util';
import { CommandError } from './command-error.ts';

const options = {
  organizer: { type: 'string' },
  category: { type: 'string' },
  place: { type: 'string' },
  at: { type: 'string' },
  'date-order': { type: 'string' },
  since: { type: 'string' },
  km: { type: 'string' },
  from: { type: 'string' },
  force: { type: 'boolean' },
  'without-images': { type: 'boolean' },
  verify: { type: 'boolean' },
  keep: { type: 'string' },
  due: { type: 'string' },
  'dry-run': { type: 'boolean' },
  name: { type: 'string' },
  json: { type: 'boolean' },
  'send-to': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;
type OptionName = keyof typeof options;

/** The options that each command accepts, and whether it accepts arguments. */
const commands: Record<string, { options: OptionName[]; hasArguments: boolean }> = {
  serve: { options: [], hasArguments: false },
  migrate: { options: [], hasArguments: false },
  distribute: { options: [], hasArguments: false },
  demo: { options: [], hasArguments: false },
  import: { options: ['organizer', 'category', 'place', 'at', 'date-order'], hasArguments: true },
  backup: { options: ['force', 'without-images', 'verify', 'keep', 'due'], hasArguments: true },
  restore: { options: ['dry-run'], hasArguments: true },
  'upgrade-postgres': { options: ['from'], hasArguments: false },
  admin: { options: ['name'], hasArguments: true },
  audit: { options: ['since'], hasArguments: false },
  streets: { options: ['km', 'from'], hasArguments: true },
  doctor: { options: ['json', 'send-to'], hasArguments: false },
  openapi: { options: [], hasArguments: false },
};

const hint = '"bin/potluck help" lists the commands and their options';

/**
 * `rest` holds the arguments after the command. Without a command, the command is `help`.
 * @throws CommandError that names the invalid option or argument
 */
export function parseArguments(argv: string[]) {
  checkOptions(argv);
  const { values, positionals } = parseArgs({ args: argv, allowPositionals: true, options });
  const [command = 'help', ...rest] = positionals;
  const { help = command === 'help', version = command === 'version', ...given } = values;
  const known = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (known && !help && !version) {
    for (const name of Object.keys(given) as OptionName[]) {
      if (!known.options.includes(name))
        throw new CommandError(`"${command}" takes no option "--${name}"; ${hint}.`);
    }
    if (!known.hasArguments && rest.length > 0)
      throw new CommandError(`"${command}" takes no argument "${rest[0]}"; ${hint}.`);
  }
  return { command, rest, values: given, help, version };
}

/** Rejects what `parseArgs` would reject, with our messages. @throws CommandError */
function checkOptions(argv: string[]): void {
  const { tokens } = parseArgs({ args: argv, allowPositionals: true, options, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    if (!isOption(name)) throw new CommandError(`There is no option "${rawName}"; ${hint}.`);
    const isMissing = value === undefined || (!inlineValue && value.startsWith('-'));
    if (options[name].type === 'string' && isMissing)
      throw new CommandError(`The option "${rawName}" needs a value; ${hint}.`);
    if (options[name].type === 'boolean' && value !== undefined)
      throw new CommandError(`The option "${rawName}" takes no value; ${hint}.`);
  }
}

const isOption = (name: string): name is OptionName => Object.hasOwn(options, name);
