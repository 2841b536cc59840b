/** File. */
import type { A } from './a';
import B, { c as d, type E } from "b";
import * as ns from 'ns';
import './side';
import fs = require('fs');
export { x, y as z } from './re';
export * from './all';
export * as q from './q';
const lazy = import('./lazy');
const { r1, r2: alias = 1, ...rest } = require('req');
/** doc */
export default class Foo<T> extends Bar implements Baz {
  static #priv = 1;
  readonly a: string = 'x';
  'quoted': number;
  [Symbol.iterator]() {}
  constructor(private p: string, q?: number) { super() }
  get g() { return 1 }
  set g(v) {}
  async *m<T>(x: T): Promise<void> {}
  abstract abs(): void;
  over(a: string): void;
  over(a: any) {}
  arrow = (x: number) => x;
  static { const t = 1; }
  declare foo: string;
  @dec() deco(): void {}
}
@Component({})
export abstract class Abs { abstract n: number; abstract foo(): void }
interface I<T> extends J { a: string; m(x: number): void; (call: string): void; new (x: string): I; [k: string]: any; get z(): string; fn: () => void }
type U = { k: string; nested: { deep: number } } | string;
type O = { k: string; f(): void };
enum Color { Red = 'r', Green, 'Blue-ish' = 3 }
declare const enum CE { X }
namespace N.M { export const inner = 1; function f() {} }
declare module 'mod' { export function g(): void; }
declare global { interface Window { w: string } }
declare function df(a: string): void;
export const arrow1 = async (x: number): Promise<void> => { const local = 1; function nest() {} const na = () => 1 };
const fe = function named() {};
let a1 = 1, b1 = 2;
var v;
function* gen() {}
export default function () {}
export const obj = { meth() {}, pair: () => 1, 'q-q': function () {}, n: { deep() {} }, get ge() { return 1 } } as const;
module.exports = { foo() {}, bar };
module.exports.baz = function () {};
exports.qux = () => {};
Foo.prototype.run = function run(a) {};
export = Foo;
if (x) { const blockLocal = 1; var blockVar = 2; function inIf() {} }
for (const i of y) {}
class Empty {}
const Cls = class Named { m() {} };
abstract class G { accessor x = 1; }
let u = <T,>(x: T) => x;
describe('x', () => { const l = 1; it('y', function () {}) });
const sat = {} satisfies X;
function assertIsString(val: any): asserts val is string {}
