--- Inspector page, the components of one entity with an input for each field.
-- Does not depend on the tree, nor on the source of values.

local json = require "cuttle.json"

return "const TYPES = " .. json.encode(require "cuttle.field_types") .. ";\n" .. [==[
// Formats a number with the fewest digits that give the same value in the game: float fields have 24 bits.
function numberText(value, type) {
  if (typeof value !== 'number') return String(value);
  if (TYPES[type].lane !== 'float') return String(value);
  for (let digits = 6; digits < 9; ++digits) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === Math.fround(value)) return String(short);
  }
  return String(value);
}

function readNumber(text) {
  const plain = text.trim().toLowerCase();
  if (['nan', 'inf', '-inf'].includes(plain)) return plain;
  const value = plain === '' ? NaN : Number(plain);
  if (!Number.isFinite(value)) throw new Error('number expected, got "' + text + '"');
  return value;
}

// Formats a rotation as an angle of at most half a turn about an axis: "-90\u00b0 about z, -1.571 rad".
function angleText(parts) {
  if (!parts.every(Number.isFinite)) return '';
  const [x, y, z, w] = parts;
  const length = Math.hypot(x, y, z);
  if (length === 0) return '0\u00b0';
  let angle = 2 * Math.atan2(length, w);
  let axis = [x, y, z].map(part => part / length);
  const main = axis.findIndex(part => Math.abs(part) > 0.99999);
  if (angle > Math.PI) angle -= 2 * Math.PI;
  if (main >= 0 ? axis[main] < 0 : angle < 0) {
    angle = -angle;
    axis = axis.map(part => -part);
  }
  const about = main >= 0 ? 'xyz'[main] : '(' + axis.map(part => Number(part.toFixed(3))).join(', ') + ')';
  const degrees = Number((angle * 180 / Math.PI).toFixed(2));
  return degrees + '\u00b0 about ' + about + ', ' + Number(angle.toFixed(4)) + ' rad';
}

let serial = 0;

// One field: its inputs, and the error message of the last write.
class Field {
  constructor(field, label, write, go) {
    this.type = field.type;
    this.labels = field.labels || [];
    this.write = write;
    this.go = go;
    this.id = 'field-' + ++serial;
    this.trouble = element('div', { class: 'trouble', id: this.id + '-trouble', role: 'alert', hidden: true });
    this.inputs = this.makeInputs(label);
    this.values = element('div', { class: 'values' + (field.type === 'mat4' ? ' wide' : '') }, ...this.inputs);
    if (this.type === 'entity')
      this.values.append(element('button', { type: 'button', class: 'link', onclick: () => this.follow() }, 'show'));
    this.swatch = this.type === 'color' ? element('span', { class: 'swatch', 'aria-hidden': 'true' }) : null;
    if (this.swatch) this.values.append(this.swatch);
    this.angle = this.type === 'quat' ? element('div', { class: 'angle' }) : null;
    const shown = field.type === 'mat4'
      ? element('details', {}, element('summary', {}, '16 numbers, by columns'), this.values) : this.values;
    this.box = element('div', { class: 'field' },
      element('div', { class: 'label' }, field.name, element('span', { class: 'type' }, field.type)), shown,
      this.angle, this.trouble);
  }
  makeInputs(label) {
    const events = { onchange: () => this.commit(), onkeydown: event => this.key(event),
      'aria-describedby': this.id + '-trouble' };
    // The input event also covers pasted text, which has no key event.
    const text = part => element('input', { type: 'text', autocomplete: 'off', spellcheck: 'false',
      'aria-label': part ? label + ' ' + part : label, oninput: event => { event.target.edited = true; }, ...events });
    if (this.type === 'bool') return [element('input', { type: 'checkbox', 'aria-label': label, ...events })];
    if (this.type === 'enum') {
      const options = this.labels.map(name => element('option', { value: name }, name));
      return [element('select', { 'aria-label': label, ...events }, ...options)];
    }
    const { lanes, parts } = TYPES[this.type];
    if (parts) return [...parts].map(text);
    if (lanes > 1) return Array.from({ length: lanes }, (_, at) => text(String(at + 1)));
    if (this.type === 'value') return [element('code', { 'aria-label': label })];
    return [text('')];
  }
  isFocused() { return this.inputs.includes(document.activeElement); }
  isEdited() { return this.isFocused() && this.inputs.some(input => input.edited); }
  // Shows the current value of the game, except in inputs that the user edits.
  show(value, editable) {
    this.value = value;
    if (this.angle) this.angle.textContent = angleText(value);
    if (this.type === 'value') this.inputs[0].textContent = value;
    if (this.writing || this.type === 'value') return;
    this.inputs.forEach((input, at) => {
      if (input.edited && this.isFocused()) return;
      input.edited = false;
      input.readOnly = !editable;
      if (this.type === 'bool' || this.type === 'enum') input.disabled = !editable;
      if (this.type === 'bool') return void (input.checked = value);
      const part = this.inputs.length > 1 ? value[at] : value;
      const shown = TYPES[this.type].number ? numberText(part, this.type) : part === null ? '' : String(part);
      if (input.value !== shown) input.value = shown;
    });
    if (this.type === 'entity') this.inputs[0].placeholder = 'no entity';
    if (this.swatch) this.swatch.style.background = 'rgb(' + value.slice(0, 3).map(part => part * 255) + ')';
  }
  read() {
    const [first] = this.inputs;
    if (this.type === 'bool') return first.checked;
    if (TYPES[this.type].number) {
      // The game may have changed the other numbers meanwhile.
      if (this.inputs.length === 1) return readNumber(first.value);
      return this.inputs.map((input, at) => (input.edited ? readNumber(input.value) : this.value[at]));
    }
    return this.type === 'entity' ? this.go.read(first.value) : first.value;
  }
  // Writes what the user has edited. Edited numbers stay until the focus leaves the field, or until 'all' are given.
  async commit(all = false) {
    const choice = this.type === 'bool' || this.type === 'enum';
    const edited = this.inputs.filter(input => (choice || input.edited) && !input.readOnly && !input.disabled);
    if (this.ended || edited.length === 0) return;
    try {
      const value = this.read(), texts = edited.map(input => input.value);
      this.writing = true;
      await this.write(value);
      this.fail('');
      edited.forEach((input, at) => { input.edited = input.edited && !(all && input.value === texts[at]); });
    } catch (error) {
      this.fail(error.message);
    } finally {
      this.writing = false;
    }
  }
  fail(message) {
    this.trouble.textContent = message;
    this.trouble.hidden = message === '';
    for (const input of this.inputs) input.setAttribute('aria-invalid', String(message !== ''));
  }
  key(event) {
    if (event.key === 'Escape') {
      this.fail('');
      for (const input of this.inputs) input.edited = false;
      this.show(this.value, !event.target.readOnly);
      event.target.blur();
    } else if (event.key === 'Enter' && this.type !== 'bool') {
      this.commit(true);
    }
  }
  follow() {
    if (this.value !== null) this.go.show(this.value);
  }
}

// Form that adds a component of one world to an entity. 'values' are JSON, as in level source.
class Adding {
  constructor(world, names, add) {
    this.select = element('select', { 'aria-label': 'Component to add' },
      ...names.map(name => element('option', { value: name }, name)));
    this.values = element('input', { type: 'text', 'aria-label': 'Values of the component', autocomplete: 'off',
      spellcheck: 'false', placeholder: 'values as JSON, or empty' });
    this.trouble = element('div', { class: 'trouble', role: 'alert', hidden: true });
    this.box = element('form', { class: 'adding', onsubmit: event => {
      event.preventDefault();
      this.submit(world, add);
    } }, this.select, this.values, element('button', { type: 'submit' }, 'Add'), this.trouble);
  }
  async submit(world, add) {
    try {
      const text = this.values.value.trim();
      await add(world, this.select.value, text === '' ? null : JSON.parse(text));
      this.values.value = '';
      this.trouble.hidden = true;
    } catch (error) {
      this.trouble.textContent = error.message;
      this.trouble.hidden = false;
    }
  }
}

// Card of the selected entity. Its elements are kept while the entity has the same components. 'edit' has the functions
// write, add, remove and destroy.
class Card {
  constructor(box, edit, go) {
    this.box = box;
    this.edit = edit;
    this.go = go;
    this.clear('Select an entity.');
  }
  clear(hint) {
    this.shape = null;
    this.end();
    this.box.replaceChildren(element('p', { class: 'hint' }, hint));
  }
  // The browser reports a half-typed text as a change when its input is removed: fields that have ended ignore it.
  end() {
    for (const { field } of this.fields || []) field.ended = true;
    this.fields = [];
  }
  isEdited() {
    const active = document.activeElement;
    return this.fields.some(({ field }) => field.isEdited()) ||
      (this.box.contains(active) && active.matches('.adding input') && active.value !== '');
  }
  // 'schema' contains the fields of components by world and component name.
  show(entity, schema, editable) {
    const subject = JSON.stringify([editable, entity.id, entity.alive]);
    const shape = JSON.stringify([subject, entity.name, entity.worlds.map(world => [
      world.name, [...(schema.get(world.name) || [])],
      world.components.map(each => [each.name, each.more, each.items.map(item => item.id)])])]);
    const same = shape === this.shape;
    if (!same && this.shape !== null && subject === this.subject && this.isEdited()) return; // the next time
    if (!same) this.build(entity, schema, editable && entity.alive);
    this.shape = shape;
    this.subject = subject;
    for (const { field, values, name } of this.fields) {
      const world = entity.worlds[values[0]];
      const [value, free] = world.components[values[1]].items[values[2]].fields[name] || [];
      if (value !== undefined) field.show(value, editable && free);
    }
  }
  build(entity, schema, editable) {
    this.end();
    this.editable = editable;
    const parts = [element('h2', {}, entity.name || entity.text),
      element('p', { class: 'hint' }, entity.text + ', id ' + entity.id + (entity.alive ? '' : ', dead'))];
    entity.worlds.forEach((world, at) => {
      if (entity.worlds.length > 1) parts.push(element('h2', {}, world.name));
      world.components.forEach((component, place) =>
        parts.push(this.component(entity, world, component, [at, place], schema)));
      if (editable) parts.push(this.adding(entity, world, schema));
    });
    if (entity.worlds.every(world => world.components.length === 0)) {
      const hint = entity.alive ? 'No components.' : 'Dead: no components.';
      parts.push(element('p', { class: 'hint' }, hint));
    }
    if (editable) parts.push(this.button('Destroy the entity', () => this.edit.destroy(entity.id)));
    this.box.replaceChildren(...parts);
  }
  button(text, work, label = text) {
    return element('button', { type: 'button', 'aria-label': label, onclick: work }, text);
  }
  adding(entity, world, schema) {
    const has = new Set(world.components.filter(each => each.items[0].id === undefined).map(each => each.name));
    const names = [...(schema.get(world.name) || new Map()).keys()].filter(name => !has.has(name));
    return new Adding(world.name, names, (name, component, values) =>
      this.edit.add({ world: name, id: entity.id, component }, values)).box;
  }
  component(entity, world, component, values, schema) {
    const place = { world: world.name, id: entity.id, component: component.name };
    const remove = (item, label) => (this.editable
      ? this.button('remove', () => this.edit.remove({ ...place, item }), 'Remove ' + label) : null);
    const several = component.items[0].id !== undefined;
    const set = element('fieldset', { class: 'component' },
      element('legend', {}, component.name, several ? null : remove(null, component.name)));
    const fields = (schema.get(world.name) || new Map()).get(component.name) || [];
    component.items.forEach((item, at) => {
      const box = element('div', { class: 'item' });
      if (several) box.append(element('p', {}, 'id ' + item.id, remove(item.id, component.name + ' ' + item.id)));
      for (const description of fields) {
        if (!item.fields[description.name]) continue;
        const label = component.name + ' ' + (item.id !== undefined ? item.id + ' ' : '') + description.name;
        const change = { ...place, item: several ? item.id : null, field: description.name };
        const field = new Field(description, label, value => this.edit.write({ ...change, value }), this.go);
        this.fields.push({ field, values: [...values, at], name: description.name });
        box.append(field.box);
      }
      set.append(box);
    });
    if (component.more > 0) set.append(element('p', { class: 'hint' }, 'and ' + component.more + ' more'));
    return set;
  }
}
]==]
