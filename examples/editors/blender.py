"""Program for `make editors`: draws harbour.gltf from above, as Blender imports it:
blender --background --factory-startup --python blender.py -- FROM.gltf TO.png

The camera shows the same area as draw.lua: 24 metres along x, 16 along z.
"""

import sys

import bpy

WIDTH, DEPTH, SCALE = 24, 16, 16
SEA = (0.0497, 0.159, 0.434, 1)  # "#3f6fb0" as light

source, target = sys.argv[sys.argv.index("--") + 1 :]

bpy.ops.wm.read_factory_settings(use_empty=True)
# The boxes have flat shading. Detecting it would fail in Debian 12, where numpy has no numpy.bool any more.
if bpy.ops.import_scene.gltf(filepath=source, import_shading="FLAT") != {"FINISHED"}:
    sys.exit(source + " was not imported")

# Blender's y is -z of glTF, and its z is y of glTF. Objects at the bottom of the picture have a large z in the file.
middle = (WIDTH / 2, -DEPTH / 2)
bpy.ops.mesh.primitive_plane_add(size=4 * WIDTH, location=(*middle, -1))
sea = bpy.data.materials.new("sea")
sea.diffuse_color = SEA
sea.use_nodes = True
sea.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = SEA
sea.node_tree.nodes["Principled BSDF"].inputs["Specular"].default_value = 0
bpy.context.object.data.materials.append(sea)

bpy.ops.object.camera_add(location=(*middle, 50))  # looks down, with y up in the picture
camera = bpy.context.object
camera.data.type = "ORTHO"
camera.data.ortho_scale = WIDTH

scene = bpy.context.scene
scene.camera = camera
scene.world = bpy.data.worlds.new("light from everywhere")
scene.world.color = (1, 1, 1)
scene.render.engine = "CYCLES"  # on the processor, because the other engines need a screen
scene.cycles.samples = 128
scene.cycles.use_denoising = False  # not available in every build
scene.view_settings.view_transform = "Standard"  # unchanged colours
scene.render.resolution_x, scene.render.resolution_y = WIDTH * SCALE, DEPTH * SCALE
scene.render.image_settings.file_format = "PNG"
scene.render.filepath = target
bpy.ops.render.render(write_still=True)
