import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.Trees;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import javax.lang.model.element.Element;
import javax.lang.model.element.PackageElement;
import javax.lang.model.element.TypeElement;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Prints what the Java files below a folder import, as javac sees it.
 *
 * <p>{@code java Imports.java ROOT} prints a JSON line {path, package, imports: [{path}], files} for each file. What is
 * missing to compile them does not matter; of files that declare the same class javac takes the first.
 */
class Imports {
  private final Path root;
  private final Trees trees;
  private final Map<String, String> files = new HashMap<>(); // by class
  private final Map<String, Set<String>> packages = new HashMap<>(); // the files of each

  private Imports(Path root, Trees trees) {
    this.root = root;
    this.trees = trees;
  }

  public static void main(String[] arguments) throws Exception {
    Path root = Path.of(arguments[0]).toRealPath();
    List<Path> sources;
    try (var walk = Files.walk(root)) {
      sources = walk.filter(p -> p.toString().endsWith(".java") && !p.toString().endsWith("-info.java")).collect(Collectors.toList());
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null);
    var task = (JavacTask) compiler.getTask(null, manager, problem -> {}, List.of("-proc:none"), null, manager.getJavaFileObjectsFromPaths(sources));
    List<CompilationUnitTree> units = new ArrayList<>();
    task.parse().forEach(units::add);
    task.analyze();
    var imports = new Imports(root, Trees.instance(task));
    units.forEach(imports::declare);
    units.forEach(imports::print);
  }

  private String pathOf(CompilationUnitTree unit) {
    return root.relativize(Path.of(unit.getSourceFile().toUri())).toString();
  }

  private static String packageOf(CompilationUnitTree unit) {
    return unit.getPackageName() == null ? "" : unit.getPackageName().toString();
  }

  private void declare(CompilationUnitTree unit) {
    for (Tree type : unit.getTypeDecls()) {
      if (trees.getElement(TreePath.getPath(unit, type)) instanceof TypeElement element) {
        files.put(element.getQualifiedName().toString(), pathOf(unit));
        packages.computeIfAbsent(packageOf(unit), name -> new TreeSet<>()).add(pathOf(unit));
      }
    }
  }

  private void print(CompilationUnitTree unit) {
    Set<String> targets = new TreeSet<>();
    for (ImportTree one : unit.getImports()) {
      targets.addAll(targets(unit, one));
    }
    targets.remove(pathOf(unit));
    String imports = unit.getImports().stream().map(i -> "{\"path\": \"" + i.getQualifiedIdentifier() + "\"}").collect(Collectors.joining(", "));
    String found = targets.stream().map(f -> "\"" + f + "\"").collect(Collectors.joining(", "));
    System.out.printf("{\"path\": \"%s\", \"package\": \"%s\", \"imports\": [%s], \"files\": [%s]}%n", pathOf(unit), packageOf(unit), imports, found);
  }

  private Set<String> targets(CompilationUnitTree unit, ImportTree one) {
    Tree name = one.getQualifiedIdentifier();
    boolean all = name.toString().endsWith(".*");
    if ((all || one.isStatic()) && name instanceof MemberSelectTree member) {
      name = member.getExpression();
    }
    Element element = trees.getElement(TreePath.getPath(unit, name));
    if (element instanceof PackageElement && all) {
      return packages.getOrDefault(name.toString(), Set.of());
    }
    while (element != null && !(element.getEnclosingElement() instanceof PackageElement)) {
      element = element.getEnclosingElement();
    }
    String file = element instanceof TypeElement type ? files.get(type.getQualifiedName().toString()) : null;
    return file == null ? Set.of() : Set.of(file);
  }
}
