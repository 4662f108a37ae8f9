const { readFileSync } = require('node:fs');

/**
 * The import rules, for values and for types. Imports point down the two lists below: a folder may import itself
 * and the folders before it. docs/architecture.md describes the folders.
 */

/** Folders of packages/, the lowest first. They know nothing of events, and import nothing of src/. */
const packages = [
  ['base'],
  ['telemetry', 'record-index', 'recurrence', 'patches'],
  ['admission', 'pg'],
  ['embedded-postgres', 'fresh-records'],
];

/** Folders of src/, the lowest first. `main.ts` is above all of them. */
const layers = [
  ['lib'],
  ['config', 'schema'],
  ['audit', 'doctor', 'flags', 'instance', 'mail', 'outbox', 'quotas'],
  ['identity'],
  ['idempotency'],
  ['http'],
  ['modules'],
  ['server'],
  ['cli'],
];

/** Folders of src/modules/, such as `events` and `accounts/oidc`, the lowest first, as src/server/modules.ts lists them. */
const modules = readModules();

function readModules() {
  const text = readFileSync(`${__dirname}/src/server/modules.ts`, 'utf8');
  const folders = new Map();
  for (const [, names, folder] of text.matchAll(/^import \{ (.+) \} from '\.\.\/modules\/(.+)\/index\.ts'/gm))
    for (const name of names.split(', ')) folders.set(name, folder);
  const [, list = ''] = /const modules[^=]*= \[([^\]]*)\]/.exec(text) ?? [];
  const listed = list.split(',').map((name) => folders.get(name.trim()));
  const ordered = [...new Set(listed.filter(Boolean))];
  // It has no endpoints: other modules use it.
  ordered.splice(ordered.indexOf('accounts/codes'), 0, 'accounts/sms');
  return ordered;
}

/** Files of a module that read its variables. They belong to the configuration: `src/config/config.ts` imports them. */
const moduleConfig = '^src/modules/[a-z/-]+/config[a-z-]*\\.ts$';

/** Folders of web/src/lib/, the lowest first. web/src/routes/ is above all of them. */
const generalPageFolders = [
  'effects',
  'language',
  'icons',
  'generated',
  'offline',
  'session',
  'forms',
  'components',
  'server',
];
/** A subject has its components and what runs in the server alone in folders of its own. */
const subjects = ['map', 'places', 'people', 'discovery', 'inbox', 'account', 'event', 'admin'];
const pageFolders = [...generalPageFolders, ...subjects];
/** Generated from web/messages/, for all of these folders. */
const messages = 'messages';

const anyOf = (names) => `(${names.join('|')})`;

/** One rule for each layer: it imports neither a higher layer nor another folder of its own layer. */
const layerRules = layers.flatMap((folders, index) =>
  folders.map((folder) => ({
    name: `${folder}-imports-upwards`,
    comment: `src/${folder}/ imports only ${['itself', ...layers.slice(0, index).flat()].join(', ')}.`,
    severity: 'error',
    from: { path: `^src/${folder}/` },
    to: {
      path: '^src/',
      pathNot: [
        `^src/${anyOf([folder, ...layers.slice(0, index).flat()])}/`,
        ...(folder === 'config' ? [moduleConfig] : []),
      ],
    },
  })),
);

/** Tests reach behind the door of a package; nothing else does. */
const packageRules = [
  ...packages.flatMap((folders, index) =>
    folders.map((folder) => ({
      name: `package-${folder}-imports-upwards`,
      comment: `packages/${folder}/ imports only ${['itself', ...packages.slice(0, index).flat()].join(', ')}.`,
      severity: 'error',
      from: { path: `^packages/${folder}/`, pathNot: '\\.test\\.ts$' },
      to: {
        path: '^(packages|src|web|client|test|torture|bench|docs|release)/',
        pathNot: `^packages/${anyOf([folder, ...packages.slice(0, index).flat()])}/`,
      },
    })),
  ),
  {
    name: 'package-behind-its-door',
    comment: 'A package is used by its index.ts alone.',
    severity: 'error',
    from: { path: '^(packages/[^/]+|src|bin|release|docs)/', pathNot: '\\.test\\.ts$' },
    to: { path: '^packages/([^/]+)/', pathNot: ['^packages/[^/]+/index\\.ts$', '^$1/'] },
  },
];

/** The files of modules. Of `accounts/codes`, also the files of `accounts/` itself, which are below all of its folders. */
const filesOf = (modules) =>
  `^src/modules/(${[...new Set(modules.flatMap((module) => [`${module}/`, `${module.split('/')[0]}/[^/]+$`]))].join('|')})`;

/** A file of `accounts/` itself may import all folders of accounts/, because it puts their services together. */
const moduleRules = [...new Set(modules.flatMap((module) => [module.split('/')[0], module]))].map(
  (module) => {
    const last = modules.findLastIndex((each) => each === module || each.startsWith(`${module}/`));
    const lower = modules.slice(0, last + 1);
    return {
      name: `module-${module.replace('/', '-')}-imports-upwards`,
      comment: `Among modules, src/modules/${module}/ imports only ${lower.join(', ')}.`,
      severity: 'error',
      from: { path: `^src/modules/${module}/` },
      to: { path: '^src/modules/', pathNot: filesOf(lower) },
    };
  },
);

const pageRules = pageFolders.map((folder, index) => ({
  name: `pages-${folder}-imports-upwards`,
  comment: `web/src/lib/${folder}/ imports only ${['itself', messages, ...pageFolders.slice(0, index)].join(', ')}.`,
  severity: 'error',
  from: { path: `^web/src/lib/${folder}/` },
  to: {
    path: '^web/src/',
    pathNot: `^web/src/lib/${anyOf([messages, ...pageFolders.slice(0, index + 1)])}/`,
  },
}));

/** Files of web/src/ that run in the server alone. */
const serverOfPages = [
  '^web/src/lib/[a-z/]*server/',
  '/\\+[a-z]+\\.server\\.ts$',
  '/\\+server\\.ts$',
  '\\.server\\.ts$',
];

module.exports = {
  forbidden: [
    {
      name: 'no-cycle',
      comment: 'No import leads back to its own file, not even an import of a type.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-unresolvable-import',
      comment: 'An import that the tool cannot resolve escapes the other rules.',
      severity: 'error',
      from: {},
      // The modules of SvelteKit exist while it builds alone, and so do the types of a page.
      to: { couldNotResolve: true, pathNot: '^(\\$app/|\\./\\$types$)' },
    },
    {
      name: 'no-undeclared-folder',
      comment: 'A new folder of src/ gets its place in the list of layers first.',
      severity: 'error',
      from: {},
      to: { path: '^src/[^/]+/', pathNot: `^src/${anyOf(layers.flat())}/` },
    },
    {
      name: 'no-undeclared-module',
      comment: 'A new module gets its place in the list of modules first.',
      severity: 'error',
      from: {},
      to: { path: '^src/modules/', pathNot: filesOf(modules) },
    },
    {
      name: 'main-is-the-entry',
      comment: 'src/main.ts is the entry point of the process. Only bin/ imports it.',
      severity: 'error',
      from: { pathNot: '^bin/' },
      to: { path: '^src/main\\.ts$' },
    },
    {
      name: 'src-imports-outside',
      comment:
        'test/, torture/ and bench/ import src/, not the other way round. Unit tests in src/ may import helpers of test/.',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.test\\.ts$' },
      to: { path: '^(test|torture|bench|docs|client)/' },
    },
    {
      name: 'subfolder-imports-its-folder',
      comment:
        'In src/cli/ and src/server/, the files of the folder itself import its subfolders, not the other way round.',
      severity: 'error',
      from: { path: '^src/(cli|server)/[^/]+/' },
      to: { path: '^src/$1/[^/]+$' },
    },
    {
      name: 'bench-imported',
      comment: 'bench/ starts servers with torture/. What all of them need is in test/support/.',
      severity: 'error',
      from: { pathNot: '^bench/' },
      to: { path: '^bench/' },
    },
    {
      name: 'client-imports-outside',
      comment: 'The published package has no dependency, and contains nothing but client/src/.',
      severity: 'error',
      from: { path: '^client/src/' },
      to: { pathNot: '^client/src/' },
    },
    {
      name: 'client-imports-server',
      comment: 'The build reads the OpenAPI document; tests start the server with the helpers in test/.',
      severity: 'error',
      from: { path: '^client/' },
      to: { path: '^(packages|src|torture|bench|docs)/' },
    },
    {
      name: 'pages-import-server',
      comment:
        'Pages know the API by its client alone. They handle texts of users, prices and dates of rules with the same functions as the server.',
      severity: 'error',
      from: { path: '^web/src/' },
      to: {
        path: '^(packages|src|test|torture|bench|docs)/',
        pathNot: ['^src/lib/(user-texts/|currencies\\.ts$)', '^packages/recurrence/index\\.ts$'],
      },
    },
    {
      name: 'user-texts-import-outside',
      comment: 'Browsers load these files.',
      severity: 'error',
      from: { path: '^src/lib/(user-texts/|currencies\\.ts$)', pathNot: '\\.test\\.ts$' },
      to: { pathNot: '^src/lib/user-texts/' },
    },
    {
      name: 'server-imports-pages',
      comment:
        'The server knows the built pages, and chooses the language of cached pages and messages by the function of the pages.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^web/src/', pathNot: '^web/src/lib/language/languages\\.ts$' },
    },
    {
      name: 'scripts-import-server-of-pages',
      comment: 'What a browser loads imports nothing that runs in the server alone, not even a type.',
      severity: 'error',
      from: { path: '^web/src/', pathNot: serverOfPages },
      to: { path: serverOfPages },
    },
    {
      name: 'no-undeclared-page-folder',
      comment:
        'A new folder of web/src/lib/ gets its place in the list of folders first. Loose files have no subject.',
      severity: 'error',
      from: {},
      to: { path: '^web/src/lib/', pathNot: `^web/src/lib/${anyOf([messages, 'styles', ...pageFolders])}/` },
    },
    {
      name: 'test-file-imported',
      comment: 'No file imports a test file.',
      severity: 'error',
      from: {},
      to: { path: '\\.test\\.ts$' },
    },
    {
      name: 'src-imports-dev-dependencies',
      comment: 'The server is installed without the development dependencies.',
      severity: 'error',
      from: { path: '^(packages|src)/', pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'module-config-imports-upwards',
      comment:
        'What reads the variables of a module imports only its own folder, the reader of variables, and src/lib/.',
      severity: 'error',
      from: { path: '^src/modules/([a-z/-]+)/config[a-z-]*\\.ts$' },
      to: { path: '^src/', pathNot: '^src/(modules/$1/|config/reader\\.ts$|lib/)' },
    },
    ...packageRules,
    ...layerRules,
    ...moduleRules,
    ...pageRules,
  ],
  options: {
    doNotFollow: { path: '^(web/)?node_modules/' },
    // Generated, and compiled from the files that are checked.
    exclude: { path: '^(client/(src/generated|dist)|web/src/lib/messages)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.cjs', '.mjs', '.json', '.d.ts', '.svelte'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types', 'default'],
    },
    skipAnalysisNotInRules: true,
  },
};
