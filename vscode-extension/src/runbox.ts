// The box in which a task or a question is written. It shows what the run will take, completes files after @, and lists what was
// written before. Text that needs several lines moves to an editor.
import * as vscode from 'vscode';
import { complete, fitting, mention, remembered, takes, taskOf, type Takes } from './compose';
import { mode as chosenMode, modelSettings } from './config';
import { modelName } from './text';

/** What the box is for. */
export interface Purpose {
  /** Its title and what it begins the list with. */
  readonly title: string;
  readonly verb: string;
  readonly placeHolder: string;
  /** What an empty text stands for. */
  readonly empty: string;
  readonly plan?: boolean;
  readonly value?: string;
}

/** What the user wrote, and what it is about. */
export interface Written {
  readonly text: string;
  readonly mode?: string;
  readonly plan: boolean;
  /** The user wants only the folder, not the open file. */
  readonly wholeFolder: boolean;
}

interface Line extends vscode.QuickPickItem {
  readonly run?: true;
  readonly path?: string;
  readonly task?: string;
}

const buttons = {
  mode: { iconPath: new vscode.ThemeIcon('settings'), tooltip: 'Mode…' },
  model: { iconPath: new vscode.ThemeIcon('sparkle'), tooltip: 'Choose Model…' },
  plan: { iconPath: new vscode.ThemeIcon('list-tree'), tooltip: 'With a Plan, or Without' },
  folder: { iconPath: new vscode.ThemeIcon('folder'), tooltip: 'The Whole Folder, or the Open File' },
  editor: { iconPath: new vscode.ThemeIcon('edit'), tooltip: 'Write Several Lines in an Editor' },
} as const;

const modes = ['fast', 'balanced', 'heavy', 'execute', 'debug', 'architect', 'offline-safe', 'plan', 'audit'];
const historyKey = 'forge.tasks';

/** Opens the box, and remembers what is written in it. */
export class RunBox {
  readonly #state: vscode.Memento;
  /** The text that was typed and not sent, for the next time. */
  #draft = '';
  #model = '';

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  /** Notes the model that runs use, to show it. */
  note(model: string): void {
    this.#model = modelName(model);
  }

  /** Opens the box. Undefined means that the user closed it, or moved its text to an editor. */
  async write(purpose: Purpose): Promise<Written | undefined> {
    const open = new Opened(purpose, this.#takes(purpose), this.#history, purpose.value ?? this.#draft);
    const written = await open.result();
    this.#draft = written ? '' : open.text;
    if (written?.text) await this.#state.update(historyKey, remembered(this.#history, written.text));
    return written && { ...written, text: taskOf(written.text) };
  }

  get #history(): readonly string[] {
    return this.#state.get<string[]>(historyKey, []);
  }

  #takes({ plan = false }: Purpose): Takes {
    const editor = vscode.window.activeTextEditor;
    const folder = editor && vscode.workspace.getWorkspaceFolder(editor.document.uri);
    const common = { mode: chosenMode(), model: modelSettings().default ?? this.#model, plan };
    const inside =
      vscode.workspace.workspaceFolders?.length === 1 ? vscode.workspace.workspaceFolders[0]?.name : undefined;
    const of = inside === undefined ? common : { ...common, folder: inside };
    if (!editor || !folder) return of;
    const { start, end } = editor.selection;
    const last = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
    const file = vscode.workspace.asRelativePath(editor.document.uri, false);
    return editor.selection.isEmpty ? { ...of, file } : { ...of, file, lines: [start.line + 1, last] };
  }
}

// One box while it is open.
class Opened {
  readonly #box = vscode.window.createQuickPick<Line>();
  readonly #purpose: Purpose;
  readonly #history: readonly string[];
  #takes: Takes;
  readonly #whole: Takes;
  #wholeFolder = false;
  #files: readonly string[] = [];
  #picking = false;

  constructor(purpose: Purpose, taken: Takes, history: readonly string[], value: string) {
    this.#purpose = purpose;
    this.#takes = taken;
    const { folder, mode, model, plan } = taken;
    this.#whole = { mode, model, plan, ...(folder === undefined ? {} : { folder }) };
    this.#history = history;
    const box = this.#box;
    box.title = purpose.title;
    box.placeholder = purpose.placeHolder;
    box.value = value;
    box.ignoreFocusOut = true;
    box.buttons = Object.values(buttons);
  }

  get text(): string {
    return this.#box.value;
  }

  result(): Promise<Written | undefined> {
    const box = this.#box;
    this.#show();
    void this.#readFiles();
    return new Promise((resolve) => {
      const end = (written?: Written) => {
        this.#picking = true; // no second end when it hides
        box.hide();
        box.dispose();
        resolve(written);
      };
      box.onDidChangeValue(() => {
        this.#show();
      });
      box.onDidAccept(() => {
        const [line] = box.selectedItems;
        if (line?.path !== undefined) this.#fill(complete(box.value, line.path));
        else if (line?.task !== undefined) this.#fill(line.task);
        else end(this.#written());
      });
      box.onDidTriggerButton((button) => {
        if (button === buttons.editor) {
          end();
          void writeInEditor(box.value);
        } else void this.#press(button);
      });
      box.onDidHide(() => {
        if (!this.#picking) end();
      });
      box.show();
    });
  }

  #written(): Written {
    const { mode, plan } = this.#takes;
    const chosen = mode === chosenMode() ? {} : { mode };
    return { ...chosen, plan, wholeFolder: this.#wholeFolder, text: this.#box.value.trim() };
  }

  #fill(value: string): void {
    this.#box.value = value;
    this.#show();
  }

  // Every line is always shown: the box filters, not VS Code, which knows only labels.
  #show(): void {
    const { verb, empty } = this.#purpose;
    const value = this.#box.value.trim();
    const detail = takes(
      this.#wholeFolder ? { ...this.#whole, mode: this.#takes.mode, plan: this.#takes.plan } : this.#takes,
    );
    const run: Line = { label: `$(play) ${verb}`, description: value || empty, detail, alwaysShow: true, run: true };
    const begun = mention(this.#box.value);
    const files = begun === undefined ? [] : fitting(this.#files, begun);
    const paths = files.map((path): Line => ({ label: `$(file) ${path}`, alwaysShow: true, path }));
    const words = value.toLowerCase();
    const earlier = this.#history.filter(
      (task) => begun === undefined && task.toLowerCase().includes(words) && task !== value,
    );
    const tasks = earlier.map((task): Line => ({ label: `$(history) ${task}`, alwaysShow: true, task }));
    this.#box.items = [...paths, run, ...tasks.slice(0, 8)];
    const [first] = this.#box.items;
    if (first) this.#box.activeItems = [first];
  }

  async #readFiles(): Promise<void> {
    const found = await vscode.workspace.findFiles('**/*', undefined, 5000);
    this.#files = found.map((uri) => vscode.workspace.asRelativePath(uri, false));
    if (mention(this.#box.value) !== undefined) this.#show();
  }

  // Another list hides this one: it comes back with what was chosen.
  async #press(button: vscode.QuickInputButton): Promise<void> {
    if (button === buttons.plan) this.#takes = { ...this.#takes, plan: !this.#takes.plan };
    if (button === buttons.folder) this.#wholeFolder = !this.#wholeFolder;
    if (button === buttons.mode || button === buttons.model) {
      this.#picking = true;
      await (button === buttons.mode ? this.#pickMode() : this.#pickModel());
      this.#picking = false;
      this.#box.show();
    }
    this.#show();
  }

  async #pickMode(): Promise<void> {
    const mode = await vscode.window.showQuickPick(modes, { title: 'Forge: with how much care?' });
    if (mode !== undefined) this.#takes = { ...this.#takes, mode };
  }

  async #pickModel(): Promise<void> {
    await vscode.commands.executeCommand('forge.ui.chooseModel');
    const model = modelSettings().default;
    if (model !== undefined) this.#takes = { ...this.#takes, model };
  }
}

/** Opens an editor for a task of several lines. Its title bar runs it. */
export async function writeInEditor(text: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument({ language: 'forge-task', content: text });
  await vscode.window.showTextDocument(document);
}
