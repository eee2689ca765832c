// Finds promises without rejection handling by TypeScript's types. Biome's noFloatingPromises finds fewer, because it does not know the
// types of packages and listeners.
import { relative } from 'node:path'
import {
  type ArrayBindingPattern,
  type Expression,
  isArrayBindingPattern,
  isArrayLiteralExpression,
  isArrowFunction,
  isAwaitExpression,
  isBinaryExpression,
  isCallExpression,
  isClassLikeDeclaration,
  isConditionalExpression,
  isExpressionStatement,
  isForStatement,
  isFunctionLikeDeclaration,
  isIdentifier,
  isImportDeclaration,
  isJsxExpression,
  isMethodDeclaration,
  isNamedImports,
  isNewExpression,
  isObjectLiteralExpression,
  isParenthesizedExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isReturnStatement,
  isShorthandPropertyAssignment,
  isStringLiteral,
  isVariableDeclaration,
  isVoidExpression,
  type MethodDeclaration,
  type Node,
  type SourceFile,
  SyntaxKind,
  type VariableDeclaration,
} from 'typescript/unstable/ast'
import { API, type Checker, type Project, SignatureKind, type Type, TypeFlags } from 'typescript/unstable/sync'

interface DroppedPromise {
  file: string
  line: number
  kind: Kind
  code: string
}

/** An unused value; a result for a caller that ignores it; a variable first used after an `await`, when it may already be rejected. */
type Kind = 'value' | 'result' | 'late'

interface Suspect {
  file: SourceFile
  node: Node
  kind: Kind
}

/** Fastify awaits the result of a plugin, although its types say otherwise. */
const AWAITED_BY_CALLER = new Set(['FastifyPluginCallback'])

export function droppedPromises(root: string, configs: string[]): DroppedPromise[] {
  const api = new API({ cwd: root })
  try {
    return api
      .updateSnapshot({ openProjects: configs })
      .getProjects()
      .flatMap((project) => droppedIn(project, root))
  } finally {
    api.close()
  }
}

function droppedIn({ rootFiles, program, checker }: Project, root: string): DroppedPromise[] {
  const files = rootFiles.map((name) => program.getSourceFile(name)).filter((file) => file !== undefined)
  const suspects = files.flatMap((file) => suspectsIn(file, relative(root, file.fileName).startsWith('test')))
  const types = checker.getTypeAtLocation(suspects.map((it) => it.node))
  const promises = new PromiseTypes(checker)
  return suspects
    .filter(({ node, kind }, index) => types[index] && isDropped[kind](promises, types[index], node))
    .map(({ file, node, kind }) => ({
      file: relative(root, file.fileName),
      line: file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1,
      kind,
      code: node.getText(file).split('\n')[0] ?? '',
    }))
}

const isDropped: Record<Kind, (promises: PromiseTypes, type: Type, node: Node) => boolean> = {
  value: (promises, type) => promises.holds(type),
  late: (promises, type) => promises.holds(type),
  result: (promises, type, node) => promises.isReturnedBy(type) && promises.isResultIgnored(node),
}

function suspectsIn(file: SourceFile, isTest: boolean): Suspect[] {
  const suspects: Suspect[] = []
  const runner = importedFrom(file, 'node:test')
  const add = (kind: Kind, nodes: Node[]) => suspects.push(...nodes.map((node) => ({ file, node, kind })))
  const visit = (node: Node): undefined => {
    // The test runner handles promises of its own functions.
    add(
      'value',
      unusedIn(node).filter((it) => !runner.has(calleeOf(it))),
    )
    if (!runner.has(calleeOf(node))) add('result', passedOnIn(node).filter(mayBeFunction))
    if (isFunctionLikeDeclaration(node) && !isTest) add('late', awaitedLateIn(node))
    node.forEachChild(visit)
  }
  visit(file)
  return suspects
}

function importedFrom(file: SourceFile, module: string): Set<string> {
  const names = new Set<string>()
  for (const it of file.statements) {
    if (!isImportDeclaration(it) || !isStringLiteral(it.moduleSpecifier) || it.moduleSpecifier.text !== module) continue
    const bindings = it.importClause?.namedBindings
    if (bindings && isNamedImports(bindings)) for (const { name } of bindings.elements) names.add(name.text)
  }
  return names
}

function calleeOf(node: Node): string {
  return isCallExpression(node) && isIdentifier(node.expression) ? node.expression.text : ''
}

function unusedIn(node: Node): Expression[] {
  if (isExpressionStatement(node) || isVoidExpression(node)) return valuesOf(node.expression)
  if (isForStatement(node) && node.incrementor) return valuesOf(node.incrementor)
  if (isVariableDeclaration(node) && isArrayBindingPattern(node.name)) return leftOut(node.name, node.initializer)
  return isOperation(node, SyntaxKind.CommaToken) ? valuesOf(node.left) : []
}

/** Array elements without a name in a destructuring: `const [, b] = [a(), b()]`. */
function leftOut({ elements }: ArrayBindingPattern, initializer: Expression | undefined): Expression[] {
  if (!initializer || !isArrayLiteralExpression(initializer) || elements.some((it) => it.dotDotDotToken)) return []
  return initializer.elements.filter((_, index) => !elements[index]?.name).flatMap(valuesOf)
}

/** The possible values of an expression whose rejection is not handled. */
function valuesOf(node: Expression): Expression[] {
  if (isParenthesizedExpression(node)) return valuesOf(node.expression)
  if (isConditionalExpression(node)) return [...valuesOf(node.whenTrue), ...valuesOf(node.whenFalse)]
  if (isOperation(node, SyntaxKind.CommaToken, SyntaxKind.AmpersandAmpersandToken)) return valuesOf(node.right)
  if (isOperation(node, SyntaxKind.BarBarToken, SyntaxKind.QuestionQuestionToken))
    return [...valuesOf(node.left), ...valuesOf(node.right)]
  if (isArrayLiteralExpression(node)) return node.elements.flatMap(valuesOf)
  const isValue =
    isCallExpression(node) || isNewExpression(node) || isIdentifier(node) || isPropertyAccessExpression(node)
  return isValue && !isHandled(node) ? [node] : []
}

function isOperation(node: Node, ...kinds: SyntaxKind[]): node is Node & { left: Expression; right: Expression } {
  return isBinaryExpression(node) && kinds.includes(node.operatorToken.kind)
}

function isHandled(node: Node): boolean {
  if (!isCallExpression(node) || !isPropertyAccessExpression(node.expression)) return false
  const { name, expression } = node.expression
  if (name.text === 'catch') return node.arguments.length > 0
  if (name.text === 'then') return node.arguments.length > 1
  return name.text === 'finally' && isHandled(expression)
}

function passedOnIn(node: Node): Node[] {
  if (isCallExpression(node) || isNewExpression(node)) return [...(node.arguments ?? [])]
  if (isPropertyAssignment(node) || isVariableDeclaration(node)) return node.initializer ? [node.initializer] : []
  if (isShorthandPropertyAssignment(node)) return [node.name]
  if (isMethodDeclaration(node)) return [node]
  if (isJsxExpression(node) || isReturnStatement(node)) return node.expression ? [node.expression] : []
  if (isArrowFunction(node)) return [node.body]
  return isOperation(node, SyntaxKind.EqualsToken) ? [node.right] : []
}

function mayBeFunction(node: Node): boolean {
  if (isArrowFunction(node) && isHandled(node.body)) return false
  const isNamed = isIdentifier(node) || isPropertyAccessExpression(node)
  return isNamed || isFunctionLikeDeclaration(node) || isCallExpression(node) || isConditionalExpression(node)
}

/** Variables of this function that are first used after an `await`. */
function awaitedLateIn(scope: Node): Expression[] {
  const declared: VariableDeclaration[] = []
  const used = new Map<string, number>()
  const waits: Node[] = []
  const visit = (node: Node, isNested: boolean): undefined => {
    if (isVariableDeclaration(node) && isIdentifier(node.name)) {
      if (!isNested) declared.push(node)
    } else if (isIdentifier(node) && !(isVariableDeclaration(node.parent) && node.parent.name === node)) {
      used.set(node.text, Math.min(used.get(node.text) ?? node.pos, node.pos))
    }
    if (isAwaitExpression(node) && !isNested) waits.push(node)
    node.forEachChild((it) => visit(it, isNested || isFunctionLikeDeclaration(node)))
  }
  scope.forEachChild((it) => visit(it, false))
  return declared.flatMap(({ name, initializer, end }) => {
    if (!initializer || !isIdentifier(name) || !isCallExpression(initializer) || isHandled(initializer)) return []
    const use = used.get(name.text) ?? Number.POSITIVE_INFINITY
    return waits.some((it) => it.pos >= end && it.end <= use) ? [initializer] : []
  })
}

class PromiseTypes {
  readonly #checker: Checker
  readonly #known = new Map<number, boolean>()
  readonly #results = new Map<number, Type[]>()

  constructor(checker: Checker) {
    this.#checker = checker
  }

  holds(type: Type): boolean {
    if (!type.isObjectType() || !type.isTypeReference() || !this.#checker.isArrayType(type))
      return this.#isPromise(type)
    return this.#checker.getTypeArguments(type).some((it) => this.#isPromise(it))
  }

  isReturnedBy(type: Type): boolean {
    return this.#resultsOf(type).some((it) => this.holds(it))
  }

  isResultIgnored(node: Node): boolean {
    const expected = isMethodDeclaration(node)
      ? this.#declaredFor(node)
      : [this.#checker.getContextualType(node as Expression)]
    return expected.some((it) => {
      if (!it || AWAITED_BY_CALLER.has(it.getAliasSymbol()?.name ?? '')) return false
      const results = this.#resultsOf(it)
      return results.length > 0 && results.every((result) => result.flags & TypeFlags.Void)
    })
  }

  /** The declared types of this method in its interfaces or object type. */
  #declaredFor({ name, parent }: MethodDeclaration): (Type | undefined)[] {
    const owners: (Type | undefined)[] = []
    if (isObjectLiteralExpression(parent)) owners.push(this.#checker.getContextualType(parent))
    else if (isClassLikeDeclaration(parent))
      for (const clause of parent.heritageClauses ?? [])
        owners.push(...clause.types.map((it) => this.#checker.getTypeAtLocation(it)))
    return owners.map((owner) => {
      const property = owner && this.#checker.getPropertyOfType(owner, name.getText())
      return property && this.#checker.getTypeOfSymbol(property)
    })
  }

  #resultsOf(type: Type): Type[] {
    return this.#results.getOrInsertComputed(type.id, () => this.#askForResults(type))
  }

  #askForResults(type: Type): Type[] {
    if (type.isUnionType()) return membersOf(type).flatMap((it) => this.#resultsOf(it))
    const signatures = type.isObjectType() ? this.#checker.getSignaturesOfType(type, SignatureKind.Call) : []
    return signatures.map((it) => this.#checker.getReturnTypeOfSignature(it)).filter((it) => it !== undefined)
  }

  #isPromise(type: Type): boolean {
    const known = this.#known.get(type.id)
    if (known !== undefined) return known
    const is = this.#judge(type)
    this.#known.set(type.id, is)
    return is
  }

  #judge(type: Type): boolean {
    if (type.isUnionType() || type.isIntersectionType()) return membersOf(type).some((it) => this.#isPromise(it))
    if (!type.isObjectType()) return false
    if (type.getSymbol()?.name === 'Promise') return true
    return type.isClassOrInterface() && this.#checker.getBaseTypes(type).some((it) => this.#isPromise(it))
  }
}

/** TypeScript's API fails on a union with a tuple; a tuple is neither a promise nor a function. */
function membersOf(type: { getTypes(): readonly Type[] }): readonly Type[] {
  try {
    return type.getTypes()
  } catch (error) {
    if (error instanceof Error && error.message.includes('TupleType')) return []
    throw error
  }
}
