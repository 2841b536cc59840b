// Reads paths, one on a line, and writes what each file defines according to TypeScript's own parser, as lines of JSON.
//
// Functions and classes count everywhere, under the name they are declared with, bound to or assigned to as a member;
// variables, and functions in object literals, only where they are not local to a function or block.
import { readFileSync } from 'node:fs'
import ts from 'typescript'

const isFunction = (node) => node && (ts.isArrowFunction(node) || ts.isFunctionExpression(node))
const isNamelessClass = (node) => node && ts.isClassExpression(node) && !node.name
const isScope = (node) =>
  ts.isFunctionLike(node) || ts.isClassStaticBlockDeclaration(node) || ts.isIfStatement(node) || ts.isIterationStatement(node, false) ||
  ts.isTryStatement(node) || ts.isSwitchStatement(node) || ts.isLabeledStatement(node) || ts.isWithStatement(node) ||
  (ts.isBlock(node) && (ts.isSourceFile(node.parent) || ts.isBlock(node.parent) || ts.isModuleBlock(node.parent)))

class Definitions {
  constructor(file) {
    this.file = file
    this.found = []
    // A place is what surrounds a node: names, the kind of the nearest definition, what it has assigned, and whether it is local.
    this.visitChildren(file, { path: [], kind: 'file', variables: new Set(), local: false })
  }

  line(position) {
    return this.file.getLineAndCharacterOfPosition(position).line + 1
  }

  // add returns the place inside of the definition.
  add(place, kind, name, node) {
    const text = name.getText(this.file).replace(/^(["'`])(.*)\1$/s, '$2')
    const variable = kind === 'variable' || kind === 'constant' || kind === 'field'
    if (variable) {
      if (place.variables.has(kind + text)) return place
      place.variables.add(kind + text)
    }
    const path = [...place.path, text]
    this.found.push({ kind, name: path.join('.'), line: this.line(name.getStart(this.file)), end: this.line(node.getEnd()) })
    const callable = kind === 'function' || kind === 'method' || kind === 'constructor'
    return { path, kind, variables: new Set(), local: callable || (variable && place.local) }
  }

  visitChildren(node, place) {
    ts.forEachChild(node, (child) => this.visit(child, place))
  }

  visit(node, place) {
    const inner = this.define(node, place)
    const scope = isScope(node) && inner === place
    this.visitChildren(node, scope ? { ...place, local: true } : inner)
  }

  keyword(node, kind) {
    return node.getChildren(this.file).flatMap((child) => (child.kind === ts.SyntaxKind.SyntaxList ? child.getChildren(this.file) : [child])).find((child) => child.kind === kind)
  }

  // define returns the place inside of the node.
  define(node, place) {
    const nameOf = () => node.name ?? this.keyword(node, ts.SyntaxKind.DefaultKeyword)
    const inTypes = (parent) => ts.isInterfaceDeclaration(parent) || (ts.isTypeLiteralNode(parent) && ts.isTypeAliasDeclaration(parent.parent))
    if (ts.isFunctionDeclaration(node)) return this.add(place, 'function', nameOf(), node)
    if (ts.isClassDeclaration(node)) return this.add(place, 'class', nameOf(), node)
    if (ts.isClassExpression(node) && node.name) return this.add(place, 'class', node.name, node)
    if (ts.isInterfaceDeclaration(node)) return this.add(place, 'interface', node.name, node)
    if (ts.isTypeAliasDeclaration(node)) return this.add(place, 'type', node.name, node)
    if (ts.isEnumDeclaration(node)) return this.add(place, 'enum', node.name, node)
    if (ts.isEnumMember(node)) return this.add(place, 'member', node.name, node)
    if (ts.isModuleDeclaration(node)) return this.module(node, place)
    if (ts.isConstructorDeclaration(node)) {
      return this.add(place, place.kind === 'class' ? 'constructor' : 'method', this.keyword(node, ts.SyntaxKind.ConstructorKeyword), node)
    }
    if (ts.isParameterPropertyDeclaration(node, node.parent) && ts.isIdentifier(node.name)) {
      return place.kind === 'constructor' ? this.add(place, 'field', node.name, node) : place
    }
    if (ts.isMethodDeclaration(node) || ts.isAccessor(node)) {
      if (ts.isObjectLiteralExpression(node.parent)) return place.local ? place : this.add(place, 'method', node.name, node)
      return ts.isClassLike(node.parent) || inTypes(node.parent) ? this.add(place, 'method', node.name, node) : place
    }
    if (ts.isPropertyDeclaration(node)) return this.add(place, isFunction(node.initializer) ? 'method' : 'field', node.name, node)
    if (ts.isMethodSignature(node)) return inTypes(node.parent) ? this.add(place, 'method', node.name, node) : place
    if (ts.isPropertySignature(node)) return inTypes(node.parent) ? this.add(place, 'field', node.name, node) : place
    if (ts.isPropertyAssignment(node)) {
      return isFunction(node.initializer) && !place.local ? this.add(place, 'method', node.name, node) : place
    }
    if (ts.isVariableDeclaration(node)) return this.variable(node, place)
    if (ts.isBinaryExpression(node)) return this.assignment(node, place)
    if (ts.isExportAssignment(node) && !node.isExportEquals) return this.exportDefault(node, place)
    return place
  }

  // module takes "namespace A.B", which the compiler sees as two, for one.
  module(node, place) {
    if (node.parent.kind === ts.SyntaxKind.ModuleDeclaration) return place
    let last = node
    while (last.body && ts.isModuleDeclaration(last.body)) last = last.body
    const name = { getStart: () => node.name.getStart(this.file), getText: () => this.file.text.slice(node.name.getStart(this.file), last.name.getEnd()) }
    return this.add(place, 'module', name, node)
  }

  variable(node, place) {
    if (!ts.isVariableDeclarationList(node.parent)) return place
    const list = node.parent
    const whole = list.declarations.length === 1 ? list.parent : node
    if (ts.isIdentifier(node.name)) {
      if (isFunction(node.initializer)) return this.add(place, 'function', node.name, whole)
      if (isNamelessClass(node.initializer)) return this.add(place, 'class', node.name, whole)
    }
    if (place.local) return place
    const kind = (list.flags & ts.NodeFlags.BlockScoped) === ts.NodeFlags.Const ? 'constant' : 'variable'
    let inner = place
    const bind = (name) => {
      if (ts.isIdentifier(name)) inner = this.add(place, kind, name, whole)
      else for (const element of name.elements) if (element.name) bind(element.name)
    }
    bind(node.name)
    return inner
  }

  assignment(node, place) {
    const { left, right } = node
    if (node.operatorToken.kind !== ts.SyntaxKind.EqualsToken || !ts.isPropertyAccessExpression(left)) return place
    if (isFunction(right)) return this.add(place, 'function', left.name, node)
    if (isNamelessClass(right)) return this.add(place, 'class', left.name, node)
    const exports = /^(module\s*\.\s*)?exports$/.test(left.expression.getText(this.file))
    return exports && !place.local ? this.add(place, 'variable', left.name, node) : place
  }

  exportDefault(node, place) {
    const name = this.keyword(node, ts.SyntaxKind.DefaultKeyword)
    const value = node.expression
    if (isFunction(value)) return this.add(place, 'function', name, node)
    if (isNamelessClass(value)) return this.add(place, 'class', name, node)
    const shown = ts.isObjectLiteralExpression(value) || ts.isCallExpression(value) || ts.isAsExpression(value) || ts.isSatisfiesExpression(value)
    return shown ? this.add(place, 'variable', name, node) : place
  }
}

for (const path of readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true)
  if (file.parseDiagnostics.length > 0) console.log(JSON.stringify({ file: path, broken: true }))
  else console.log(JSON.stringify({ file: path, definitions: new Definitions(file).found }))
}
