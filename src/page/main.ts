// First, so that no other code runs before it.
import './forbid-leaving.ts'

import { startPage } from './app.ts'

// A page of another site around this one could cover it, or show a part of it only.
if (window.top === window) startPage()
else
  document.querySelector('main')!.textContent =
    'This page does not run inside another page. Open it in a window of its own.'
