// An esbuild plugin that leaves out of the bundle what the server does not use: features of the language client that the server
// never announces, and the libraries that only they need. The client then does not announce them either. ADR 142 says why.
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
  'notebook',
  'reference',
  'rename',
  'selectionRange',
  'semanticTokens',
  'signatureHelp',
  'typeDefinition',
  'typeHierarchy',
];

const modules = new RegExp(`vscode-languageclient[\\\\/]lib[\\\\/]common[\\\\/](${unused.join('|')})\\.js$`);

// Every class of such a module is a feature that announces nothing and does nothing.
const absent = `class Absent {
  fillClientCapabilities() {}
  initialize() {}
  getState() { return { kind: 'static' }; }
  clear() {}
}
module.exports = new Proxy({}, { get: (_, name) => (name === '__esModule' ? true : Absent) });`;

// The client compares VS Code's version with the one it needs, which package.json has demanded already.
const replaced = {
  minimatch: 'exports.Minimatch = class { match() { return false; } };',
  'semver/functions/parse': 'module.exports = () => ({ prerelease: [] });',
  'semver/functions/satisfies': 'module.exports = () => true;',
};

export const lean = {
  name: 'lean',
  setup(build) {
    build.onLoad({ filter: modules }, () => ({ contents: absent, loader: 'js' }));
    build.onResolve({ filter: /^(minimatch|semver\/functions\/(parse|satisfies))$/ }, ({ path }) => ({
      path,
      namespace: 'lean',
    }));
    build.onLoad({ filter: /.*/, namespace: 'lean' }, ({ path }) => ({ contents: replaced[path], loader: 'js' }));
  },
};
