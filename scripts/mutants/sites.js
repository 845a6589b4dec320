import { parseAst } from 'vitest/node'

// Where a program can be changed at a single point, and to what. Strings are left alone: texts are compared by few
// tests, and should be.

const SWAPS = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '<<': '>>',
  '>>': '<<',
  '>>>': '<<',
  '&': '|',
  '|': '&',
  '^': '&',
  '&&': '||',
  '||': '&&',
}
const METHODS = { some: 'every', every: 'some', min: 'max', max: 'min', shift: 'pop', pop: 'shift' }

/**
 * All single-point changes of a JavaScript text, in its order.
 *
 * @param {string} code
 * @returns {{ start: number, end: number, text: string, isStatement: boolean }[]} The range and what replaces it; an
 *   expression may be evaluated in a wrapper, a statement may be preceded by another.
 */
export function sitesOf(code) {
  const sites = []
  const add = (node, text, isStatement = false) =>
    sites.push({ start: node.start, end: node.end, text, isStatement })
  const textOf = (node) => code.slice(node.start, node.end)

  function visit(node) {
    switch (node.type) {
      case 'ImportDeclaration':
      case 'TemplateLiteral':
        return
      case 'ThrowStatement':
        // Without it; what the error says is text.
        add(node, ';', true)
        return
      case 'ExpressionStatement':
        if (/^(Call|Await|Assignment|Update)Expression$/.test(node.expression.type))
          if (node.expression.callee?.type !== 'Super') add(node, ';', true)
        break
      case 'IfStatement':
      case 'ConditionalExpression':
        add(node.test, `!(${textOf(node.test)})`)
        break
      case 'BinaryExpression':
      case 'LogicalExpression': {
        const [left, right] = [textOf(node.left), textOf(node.right)]
        if (node.operator === '??') {
          add(node, `(${left})`)
          add(node, `(${right})`)
        } else if (node.operator in SWAPS && !isText(node.left) && !isText(node.right))
          add(node, `((${left}) ${SWAPS[node.operator]} (${right}))`)
        break
      }
      case 'UnaryExpression':
        // `undefined`, as it is written in the JavaScript.
        if (node.operator === 'void') return
        if (node.operator === '!') add(node, textOf(node.argument))
        break
      case 'AwaitExpression':
        add(node, `(${textOf(node.argument)})`)
        break
      case 'CallExpression': {
        const { callee } = node
        const name = callee.type === 'MemberExpression' && !callee.computed && callee.property.name
        if (name in METHODS)
          add(
            node,
            code.slice(node.start, callee.property.start) +
              METHODS[name] +
              code.slice(callee.property.end, node.end),
          )
        break
      }
      case 'Literal':
        // Larger ones are limits and times, where one more makes no difference that anybody would call a defect.
        if (typeof node.value === 'number' && node.value <= 64) add(node, String(node.value + 1))
        else if (typeof node.value === 'boolean') add(node, String(!node.value))
        else if (node.bigint !== undefined && node.value <= 64n)
          add(node, `${BigInt(node.bigint) + 1n}n`)
        return
      case 'Property':
        // A name is no value.
        if (node.computed) visit(node.key)
        visit(node.value)
        return
      case 'PropertyDefinition':
      case 'MethodDefinition':
        if (node.value !== null) visit(node.value)
        return
    }
    for (const child of Object.values(node).flat())
      if (typeof child?.type === 'string') visit(child)
  }

  visit(parseAst(code))
  return sites.filter(({ start, end, text }) => code.slice(start, end) !== text)
}

function isText(node) {
  return (
    node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string')
  )
}
