/** A child of an element. Strings become text, never markup. */
export type Child = Node | string | undefined

/** Attributes and listeners of an element. */
export type Properties = {
  readonly [name: string]: string | number | boolean | EventListener | undefined
}

/**
 * Makes an element. `on…` properties are listeners; `true` sets an attribute without a value; `undefined` and
 * `false` leave it out.
 */
export function el<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Properties = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  return withProperties(document.createElement(name), properties, children)
}

/** Makes an element of an SVG image. */
export function svg<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  properties: Properties = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[Name] {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name)
  return withProperties(element, properties, children)
}

function withProperties<E extends Element>(
  element: E,
  properties: Properties,
  children: readonly Child[],
): E {
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value)
    else if (value === true) element.setAttribute(name, '')
    else if (value !== undefined && value !== false) element.setAttribute(name, String(value))
  }
  element.append(...children.filter((child) => child !== undefined))
  return element
}

/** Whether the screen is too narrow for two columns; `view.css` has the same limit. */
export function isNarrow(): boolean {
  return matchMedia('(max-width: 40rem)').matches
}
