// Prints what the TypeScript and JavaScript files below a folder import, as the TypeScript compiler sees it.
//
// node imports.mjs ROOT prints a JSON line {path, imports: [{path}], files} for each file: the imports as they are
// written, and the files of ROOT they lead to.
import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const root = fs.realpathSync(process.argv[2]);
const source = /\.(ts|tsx|mts|cts|js|jsx|mjs|cjs)$/;
const configs = new Map();

/** The nearest configuration at or above a folder, or nothing. */
function configAbove(folder) {
  for (; folder.startsWith(root); folder = path.dirname(folder)) {
    const names = ['tsconfig.json', 'jsconfig.json'].map((name) => path.join(folder, name));
    const found = names.find((name) => ts.sys.fileExists(name));
    if (found) return found;
  }
  return '';
}

/** The options that hold in a folder. */
function optionsOf(folder) {
  const inside = configAbove(folder);
  if (!configs.has(inside)) {
    const { config = {} } = inside ? ts.readConfigFile(inside, ts.sys.readFile) : {};
    const host = { ...ts.sys, readDirectory: () => [] };
    const { options } = ts.parseJsonConfigFileContent(config, host, inside ? path.dirname(inside) : root);
    options.allowJs = true;
    options.moduleResolution = ts.ModuleResolutionKind.Bundler;
    options.module = ts.ModuleKind.ESNext;
    options.resolveJsonModule = true;
    configs.set(inside, options);
  }
  return configs.get(inside);
}

/** What the root holds without links: what is installed or linked is no file of the tree. */
function* walk(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const name = path.join(folder, entry.name);
    if (entry.isDirectory() && !['.git', '.cache', 'node_modules'].includes(entry.name)) yield* walk(name);
    else if (entry.isFile() && source.test(entry.name)) yield name;
  }
}

/** The names that a source imports, wherever in it. */
function importsOf(file) {
  const { importedFiles } = ts.preProcessFile(fs.readFileSync(file, 'utf8'), true, true);
  return importedFiles.map(({ fileName }) => fileName);
}

for (const file of walk(root)) {
  const imports = importsOf(file);
  const files = new Set();
  for (const name of imports) {
    const { resolvedModule } = ts.resolveModuleName(name, file, optionsOf(path.dirname(file)), ts.sys);
    const target = resolvedModule?.resolvedFileName;
    if (target?.startsWith(root + path.sep) && !target.includes('/node_modules/') && target !== file) {
      files.add(path.relative(root, target));
    }
  }
  const line = { path: path.relative(root, file), imports: imports.map((path) => ({ path })), files: [...files].sort() };
  process.stdout.write(JSON.stringify(line) + '\n');
}
