-- LÖVE's configuration: the window, and the modules that are used.

function love.conf(t)
  t.identity = "cuttle-ember-yard" -- the name of the save directory
  t.version = "11.4"
  t.window.title = "Ember Yard: an example of cuttle"
  t.window.width, t.window.height = 960, 588
  t.modules.audio, t.modules.sound, t.modules.video, t.modules.joystick = false, false, false, false
end
