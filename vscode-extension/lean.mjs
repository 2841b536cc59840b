// An esbuild plugin that keeps the bundle small. It leaves out what the server does not use: features of the language client that
// the server never announces, and the libraries that only they need; the client then does not announce them either. Of the rest it
// shortens what the TypeScript compiler wrote around exports. ADR 142 says why.
import { readFile } from 'node:fs/promises';

const unused = [
  'callHierarchy',
  'colorProvider',
  'completion',
  'declaration',
  'definition',
  'diagnostic',
  'documentHighlight',
  'documentLink',
  'fileOperations',
  'foldingRange',
  'formatting',
  'hover',
  'implementation',
  'inlayHint',
  'inlineCompletion',
  'inlineValue',
  'linkedEditingRange',
  'moniker',
  'notebook',
  'reference',
  'rename',
  'selectionRange',
  'semanticTokens',
  'signatureHelp',
  'typeDefinition',
  'typeHierarchy',
];

const left = new RegExp(`^\\./(protocol\\.)?(${unused.join('|')})$`);

// One module for all of them: each name that it exports is a feature that announces nothing and does nothing.
const absent = `class Absent {
  static method = 'forge/absent';
  fillClientCapabilities() {}
  initialize() {}
  getState() { return { kind: 'static' }; }
  clear() {}
}
module.exports = new Proxy({}, { get: (_, name) => (name === '__esModule' ? true : Absent) });`;

// The client compares VS Code's version with the one it needs; package.json demands a newer one already.
const replaced = {
  absent,
  minimatch: 'exports.Minimatch = class { match() { return false; } };',
  // Copies of documents: the client reads them whole.
  'vscode-languageserver-textdocument':
    'exports.TextDocument = { create: (uri, language, version, text) => ({ getText: () => text }) };',
  'semver/functions/parse': 'module.exports = () => ({ prerelease: [] });',
  'semver/functions/satisfies': 'module.exports = () => true;',
};

// Names of properties that only the libraries and the extension use among themselves: none is part of VS Code's API or of the
// protocol. They may get shorter ones.
// None of them may be imported by name: esbuild shortens properties, not imports.
export const internal = new RegExp(
  `^(${[
    '_[^_]\\w*',
    '[A-Z]\\w*(Request|Notification|Feature|RegistrationType)',
    'messageDirection|MessageDirection|clientToServer|serverToClient',
    'Protocol(Request|Notification)Type\\d?|ParameterStructures|registrationType',
    'registerFeature|fillInitializeParams|fillClientCapabilities|hasDedicatedTextSynchronizationFeature',
    'initializationFailedHandler|handleWorkDoneProgress|createMessageTransports',
    'protocol2CodeConverter|code2ProtocolConverter|handleFailedRequest|createMessageConnection|onNotificationSent',
  ].join('|')})$`,
);

function shortened(source) {
  return source
    .replace(/(clientOptions\.stdioOptions) \?\? \{[^]*?^ {8}\};$/m, '$1;') // the extension has its own
    .replace(/^var __(createBinding|setModuleDefault|importStar|exportStar) = [^]*?^\}.*;$/gm, '')
    .replace(/__importStar\((require\("[^"]+"\))\)/g, '$1')
    .replace(/__exportStar\((require\("[^"]+"\)), exports\)/g, 'Object.assign(exports, $1)')
    .replace(/^exports\.\w+ = (exports\.\w+ = )*void 0;$/gm, '')
    .replace(
      /^Object\.defineProperty\(exports, "(\w+)", \{ enumerable: true, get: function \(\) \{ return (\w+\.\w+); \} \}\);$/gm,
      'exports.$1 = $2;',
    );
}

// The two converters have functions for every feature. These are for the ones that are left out.
const spare = new RegExp(
  `^(as(${[
    'Completion\\w*|SignatureHelp\\w*|SignatureInformations?|ParameterInformations?|SelectedCompletionInfo',
    'Inline\\w+|InlayHint\\w*|Tooltip|CallHierarchy\\w+|TypeHierarchy\\w+|SemanticTokens\\w*|LinkedEditingRanges',
    'Color\\w*|Folding\\w+|SelectionRanges?|DocumentHighlight\\w*|Hover\\w*|DocumentLink\\w*|FormattingOptions',
    '(Will|Did)(Create|Rename|Delete)FilesParams|Reference(s|Params)|DeclarationResult|DefinitionResult|Location(Link|Result)',
  ].join('|')})|getCompletion\\w+|applyCommitCharacters|applyData|fillPrimaryInsertText)$`,
);

// The source of a converter without these functions. A use that is left is an error.
function withoutSpare(source) {
  const gone = [];
  let rest = source.replace(/^ {4}(?:async )?function (\w+)\([^]*?^ {4}\}$/gm, (text, name) => {
    if (!spare.test(name)) return text;
    gone.push(name);
    return '';
  });
  for (const name of gone) {
    rest = rest.replace(new RegExp(`^ {8}(${name}: )?${name},?$`, 'm'), '');
    if (new RegExp(`(?<!\\.)\\b${name}\\b`).test(rest))
      throw new Error(`lean.mjs: ${name} is still used in its converter`);
  }
  return rest;
}

export const lean = {
  name: 'lean',
  setup(build) {
    build.onResolve({ filter: left }, ({ importer }) =>
      /vscode-language(client|server-protocol)[\\/]lib[\\/]common[\\/]/.test(importer)
        ? { path: 'absent', namespace: 'lean' }
        : undefined,
    );
    build.onLoad({ filter: /vscode-(jsonrpc|language\w+(-\w+)?)[\\/]lib[\\/].*\.js$/ }, async ({ path }) => ({
      contents: (/[\\/](code|protocol)Converter\.js$/.test(path) ? withoutSpare : String)(
        shortened(await readFile(path, 'utf8')),
      ),
      loader: 'js',
    }));
    build.onResolve(
      { filter: /^(minimatch|vscode-languageserver-textdocument|semver\/functions\/(parse|satisfies))$/ },
      ({ path }) => ({
        path,
        namespace: 'lean',
      }),
    );
    build.onLoad({ filter: /.*/, namespace: 'lean' }, ({ path }) => ({ contents: replaced[path], loader: 'js' }));
  },
};
